#include <iostream>

#include "tensor/build_info.h"
#include "tensor/shape.h"

int main() {
  const lectern::Shape shape{2, 3, 4};
  std::cout << lectern::version_text("app") << ": " << shape.numel() << " elements\n";
  return shape.numel() == 24 ? 0 : 1;
}
