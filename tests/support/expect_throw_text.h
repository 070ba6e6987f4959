#pragma once

#include <gtest/gtest.h>

#include <string>

/// Passes if `statement` throws exactly `type` and its whole text is `text`.
#define EXPECT_THROW_TEXT(statement, type, text)                   \
  do {                                                             \
    try {                                                          \
      static_cast<void>(statement);                                \
      ADD_FAILURE() << "nothing was thrown by " #statement;        \
    } catch (const type& e) {                                      \
      EXPECT_EQ(std::string(e.what()), std::string(text));         \
    } catch (const std::exception& e) {                            \
      ADD_FAILURE() << "not a " #type " was thrown: " << e.what(); \
    }                                                              \
  } while (false)
