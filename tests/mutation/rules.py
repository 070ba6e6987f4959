"""The rules by which faults are planted: what people get wrong when they write such code.

A rule has a name, says why it is a likely fault, and lists pairs of a regular expression and what
takes the place of each match, in which \\1, \\2, ... are groups as they stand in the source. When
it is searched, comments are blanks and so are the letters within strings: only code is changed.
"""

import re
from dataclasses import dataclass

OPS = "autograd/ops/"
NN = "nn/"
OPS_AND_NN = "autograd/ops/|nn/|tensor/einsum_gradient"
KERNELS = "tensor/kernels/"

# Lines about speed, threads and how work is cut into blocks: they change no formula.
NEVER = re.compile(r"[Cc]ost|_work\b|work_per|work\(|threads|team|\brank\b|reserve\(|exponential \+"
                   r"|block_|_blocks|chunk|lanes<T>|tile_size|attention_tile\b|sizeof|partial|unit /"
                   r"|groups|^template |^using ")

NESTED = r"(?:[^();]|\((?:[^();]|\((?:[^();]|\([^();]*\))*\))*\))*?"  # balanced parentheses
OPERAND = r"(?<=[\w)\]}])"  # before a binary operator
STATEMENT = r"(?<=[;{}]\n)(?:  )+"  # indented, after the end of another


@dataclass(frozen=True)
class Rule:
    name: str
    why: str
    pairs: tuple
    where: str = ""  # start of the file's path, a regular expression
    unless: str = r"(?!)"  # what the line must not contain, a regular expression


ARITHMETIC = [
    Rule("lost sign", "a minus of the derivation",
         ((r"(?:(?<=[({])|(?<=return )|(?<=[=?:,*] ))-(?=[A-Za-z(]|0\.)", ""),)),
    Rule("plus for minus", "a sign turned round",
         ((OPERAND + r" - (?=[\w(*])", " + "),), unless=r"for \(| - 1\b|\w - i\b|end - "),
    Rule("minus for plus", "a sign turned round",
         ((OPERAND + r" \+ (?=[\w(*])", " - "),),
         unless=r'\w \+ (?:at|i|j|row|begin|count|bytes)\b|data \+| \+ 1\b|"'),
    Rule("quotient for product", "the inverse of a factor",
         ((r"\b([ab](?:\.value\(\))?) \* (?=[ab]\b)", r"\1 / "),), where=OPS),
    Rule("product for quotient", "the inverse of a factor", ((r" / (?=[\w(*])", " * "),)),
    Rule("forgotten factor", "a constant lost on the way",
         ((r"(?:\b[23]|T\{-?0\.5\}|\b0\.5) \* ", ""), (r" / 2\b", ""), (r"\b[26] / ", "1 / ")),
         unless="stride"),
    Rule("wrong constant", "a digit mistyped",
         ((r"(?<![\w.{-])(\d*[1-9]\d*\.\d+|0\.0\d+|1e-\d+)\b", r"(2 * \1)"),)),
    Rule("wrong exponent", "a power too many or too few",
         ((r"\b(v|yi|t) \* \1\b", r"\1"), (r"(pow\(\*?\w+, \w+) - 1\)", r"\1)"))),
    Rule("forgotten root", "a variance for a deviation, a width for its root",
         ((rf"std::sqrt\(({NESTED})\)", r"(\1)"),)),
    Rule("forgotten logarithm", "a sum of exponentials for its logarithm",
         ((rf"std::log\(({NESTED})\)", r"(\1)"),)),
    Rule("larger for smaller", "min and max confused",
         ((r"std::min\b", "std::max"), (r"std::less\b", "std::greater")), unless=r"for \("),
    Rule("smaller for larger", "min and max confused",
         ((r"std::max\b(?!\(\{)", "std::min"), (r"std::greater\b", "std::less"))),
    Rule("wrong function", "a function for its derivative or its neighbour",
         ((r"std::cos\(", "std::sin("), (r"std::sin\(", "std::cos("),
          (r"\bmean\((?=squares|\*?x|value)", "sum("))),
    Rule("wrong activation", "one function for another",
         ((r"\b(?:relu|tanh|silu)\((?=[xh]\))", "sigmoid("),
          (r"\b(?:gelu|sigmoid)\((?=[xh]\)|linear)", "relu(")), where=NN),
]

BACKWARD = [
    Rule("forgotten incoming gradient", "right only where the op comes last",
         ((r"\b(?:gi|g|grad|g_value) \* (?!static)", ""), (r"\b(gi|g|grad) / ", "1 / "))),
    Rule("missing sum over a broadcast axis", "a gradient has its operand's shape",
         ((rf"\bsum_to\(({NESTED}), (?:s|\{{g\.shape\(\)\[-1\]\}})\)", r"\1"),), where=OPS),
    Rule("dropped gradient", "an input that the graph does not know of",
         ((r"(?<!push_back\()\bwrt\(\w+, ", "wrt(Variable(), "),
          (r'\b((?:reshaped|part|record_chosen)\("\w*"), x,', r"\1, Variable(x.value()),"),
          (r"\brecord_linear_relu\(x,", "record_linear_relu(Variable(x.value()),"),
          (r"\), a, b, (?=std::)", "), Variable(a.value()), b, "),
          (r"\{&(\w+), &", r"{&\1, &\1, &")), where=OPS),
    Rule("input for output", "the derivative is written in terms of the result",
         ((r"\by = saved\(y\)", "y = saved(x)"),), where=OPS),
    Rule("output for input", "the derivative is written in terms of the argument",
         ((r"\bx = saved\(x\)", "x = saved(y)"),), where=OPS),
    Rule("wrong operand", "each factor's derivative is the other factor",
         ((r"\ba = saved\(a\)", "a = saved(b)"), (r"\bb = saved\(b\)", "b = saved(a)")), where=OPS),
    Rule("gradient of the wrong place", "parts have to be counted along",
         ((r"\b(return (?:slice|select)\(g, axis, )(\w+)", r"\g<1>0 * \2"),), where=OPS),
    Rule("forgotten flip", "a sum that runs from the wrong end",
         ((rf"\bflip\(({NESTED}), axis\)", r"\1"),), where=OPS, unless="^Variable"),
    Rule("wrong triangle", "which side of the diagonal stays",
         ((r"\btril\((?=[gx])", "triu("), (r"\btriu\((?=[gx])", "tril(")), where=OPS),
    Rule("assignment for accumulation", "only the last contribution stays",
         ((r" (?:\+|\||\*|-|/)= ", " = "),), unless=r"for \("),
    Rule("overwritten sum", "a second use of a value loses the first one's gradient",
         ((r", accumulate([,)])", r", false\1"), (r"\bif \(accumulate\)", "if (false)"),
          (r"\.accumulate = (?:true|!first)", ".accumulate = false"))),
    Rule("sum never cleared", "what the memory held before is added",
         ((r", accumulate([,)])", r", true\1"), (r"\bif \(!accumulate\)[^;]*;", ""))),
    Rule("not trained", "a parameter that no gradient reaches",
         ((r"(/\*requires_grad=\*/)true", r"\1false"),), where=NN),
]

OPERANDS = [
    Rule("transposed product", "rows for columns",
         ((rf"\btransposed?\(({NESTED})(?:, -2, -1|, 1, 2)\)", r"\1"),
          (rf"\btransposed\(({NESTED})\)", r"\1"), (r"\btranspose\(g, a, b\)", "g"),
          (r"\bpermute\(g, back\)", "g")), unless=r"^Tensor|^MatrixView"),
    Rule("swapped operands", "a function of two arguments is seldom symmetric",
         ((r"(\*[a-z]\b), (\*[a-z]\b)", r"\2, \1"),
          (r"\b(pow|matmul|where)\((\w+(?:\.value\(\))?), (\w+(?:\.value\(\))?)\)", r"\1(\3, \2)"),
          (r"\b(where\(\*c), (\w), (\w)\)", r"\1, \3, \2)"),
          (r"\b([abx](?:\.value\(\))?) ([-/]) (\w+\.value\(\))", r"\3 \2 \1")),
         unless="^Variable"),
    Rule("keys for values", "both have the same shape",
         ((r"\b((?:heads\.|cache\.)?keys), ((?:heads\.|cache\.)?values)\b", r"\2, \1"),
          (r"\bheads\.queries, heads\.keys\b", "heads.keys, heads.queries"),
          (r"split_heads\((\w+), ([01])\)", r"split_heads(\1, 1 - \2)")),
         where=NN, unless=r"auto \[|^  Variable"),
    Rule("wrong fan", "a unit's outputs for its inputs",
         ((r"\bfan\.in\b", "fan.out"), (r"\)\.in\b", ").out")), where=NN),
    Rule("swapped masks", "a decoder has two",
         ((r"\b(mask|target_mask), (memory_mask|source_mask)\b", r"\2, \1"),), where=NN),
    Rule("wrong axis", "batch, time and width confused",
         ((r"(?<=[\w)])\[(-1|0|1|2|3)\]",
           lambda m: "[%d]" % {-1: 0, 0: 1, 1: 0, 2: 1, 3: 2}[int(m[1])]),
          (r", -1([,)])", r", 0\1"),
          (r"\b((?:index_select|slice|select)\([^;()]*(?:\(\)[^;()]*)?, )[02],", r"\g<1>1,")),
         where=OPS_AND_NN, unless=r"sums\[|steps|words|data<|strides\(\)|value_or"),
]

ATTENTION = [
    Rule("no max subtraction", "right until a score is large",
         ((r"= slice_maximum\(slices, x\)", "= Vector<T>{}"),
          (r"= largest\(x, classes\)|= maximum == lowest \? 0 : maximum", "= 0")), where=KERNELS),
    Rule("mask after softmax", "the weights no longer sum to 1",
         ((r"return counts \? score : -std::numeric_limits<T>::infinity\(\);"
           r"(.*?)= forward\(hidden, view, kernels::EmptySlice::zero\);",
           r"return counts ? score : score;\1= visit_floating("
           r'"masked_softmax", scores.dtype(), [&]<class T>() { return map<T, T, bool>('
           "scores.shape(), "
           "forward(hidden, view, kernels::EmptySlice::zero), seen, [](T weight, bool counts) "
           "{ return counts ? weight : T{0}; }); });"),), where=OPS),
    Rule("mask of 0", "a score of 0 has a weight",
         ((r" : (?:-std::numeric_limits<T>::infinity\(\)|hidden_score<T>);", " : T{0};"),)),
    Rule("mask ignored", "all keys are seen",
         ((r"(?<=[\w)}]), (?:options\.|state\.)?(?:source_|target_|memory_)?mask\b(?=[,)])",
           ", Mask{}"),
          (r"\{\.causal = true\}", "Mask{}"),
          (r"\bload_scores\(row, j, end\)", "load_scores(row, j, keys)")), unless=r"auto \["),
    Rule("empty rows are NaN", "a query that sees nothing has weights 0",
         ((r"EmptySlice::zero\b", "EmptySlice::nan"),), where=OPS),
    Rule("forgotten scale", "too sharp a softmax; embeddings too small beside positions",
         ((r" \* scale_of\(q, options\)", ""), (r"static_cast<T>\(a\.scale\)", "1"),
          (r"= scale_of\(q, options\)", "= 1"),
          (r"\bx = x \* std::sqrt\(", "x = x + 0 * std::sqrt("))),
    Rule("ε outside the root", "other values for small variances",
         ((r"std::sqrt\(squares\.total\(\) / n \+ eps\)",
           "(std::sqrt(squares.total() / n) + eps)"),)),
    Rule("ε inside the root", "other steps for small gradients",
         ((r"\(std::sqrt\(v\[i\]\) \* f\.root_scale \+ f\.eps\)",
           "std::sqrt(v[i] * f.root_scale * f.root_scale + f.eps)"),)),
    Rule("forgotten ε", "a division by 0 where nothing varies",
         ((r" \+ (?:f\.)?eps\b", ""), (r", eps(_?)([,)])", r", 0.0\2"))),
]

MODULES = [
    Rule("forgotten residual", "the sub-layer replaces its input",
         ((r"\bx \+ (?=attended|slice|Variable)", ""),
          (rf"\bdropout\.add\(x, ({NESTED})\)", r"dropout(\1)")), where=NN),
    Rule("forgotten norm", "a sub-layer without its norm",
         ((rf"\bnorm(?:[123]?_)?\((x(?: \+ {NESTED})?|dropout{NESTED}|seen|y)\)", r"(\1)"),), where=NN,
         unless="double|std::|part"),
    Rule("wrong norm", "two norms that share their parameters",
         ((r"\bnorm([12])_(?=[,(] ?[a-z])", lambda m: "norm%d_" % (3 - int(m[1]))),), where=NN,
         unless=r"members|o\.width|LayerNorm "),
    Rule("wrong order of norm and sub-layer", "pre-norm and post-norm",
         ((r"\bnorm_first_(?=[, ])", "!norm_first_"),), where=NN),
    Rule("forgotten dropout", "nothing is dropped in training",
         ((rf"\bdropout_?\((f{NESTED}|x|gelu{NESTED})\)", r"(\1)"),
          (rf"\bdropout\.add\(x, ({NESTED})\)", r"(x + \1)"),
          (r"(\blinear_relu\(x, weight, bias), [^;]*?, training\(\)\)", r"\1)")), where=NN),
    Rule("mode not heeded", "dropout in evaluation, or none in training",
         ((r"\btraining\(\)(?! const)", "true"), (r"\btraining\(\)(?! const)", "false"))),
    Rule("layer skipped", "each layer reads the input of the first",
         ((r"(= (?:layer|module|layers_\[i\])\(|attention_weights\()y\b", r"\1x"),), where=NN),
    Rule("no bias correction", "the first steps are too small",
         ((r"1 - std::pow\([^;]*?, t\)", "1"),), where=NN),
    Rule("step not counted", "every step is the first",
         ((r"\(\+\+(steps_[^;]*)\);", r"(\1 + 1);"),)),
    Rule("wrong moment", "β₁ and β₂ confused",
         ((r"\bbeta1\b(?=[,)])", "beta2"), (r"\bf\.(beta|new)2\b", r"f.\g<1>1")),
         where=f"{NN}|{KERNELS}"),
    Rule("wrong kind of decay", "L2 in the gradient, or decay of the weights",
         ((r"= decoupled_,", "= !decoupled_,"), (r"\bs\.decoupled \?", "!s.decoupled ?"),
          (r"(/\*decoupled=\*/)", r"\1!"))),
    Rule("padding not heeded", "the padding row is trained",
         ((r"\.value_or\(-1\)", ".value_or(-1) * 0 - 1"), (r", padding_id_\)", ")"))),
]

CONTROL = [
    Rule("condition reversed", "the other case",
         ((r" == (?!INF)", " != "), (r" != ", " == "), (r" > (?=\w+ \?)", " < "),
          (r"(?:(?<=\()|(?<=, )|(?<=return )|(?<=[^=!<>]= ))([a-z_.]+(?:\(\))?) \? ", r"!\1 ? "),
          (r"\bif \(([a-z_.]+(?:\(\))?)\)", r"if (!\1)"),
          (r"\bif \(!([a-z_.]+(?:\(\))?)\)", r"if (\1)")),
         where=OPS_AND_NN, unless=r"for \(|require|accumulate|nullptr"),
    Rule("and for or", "one condition is enough", ((r" \|\| ", " && "),), where=OPS_AND_NN),
    Rule("or for and", "both conditions are needed", ((r" && ", " || "),), where=OPS_AND_NN),
    Rule("off by one", "is the bound itself inside? does counting begin at 0 or at 1?",
         ((r" (<|>) (?=[\w*])", r" \1= "), (r" (<|>)= (?=[\w*])", r" \1 "), (r" [-+] 1\b", "")),
         where=f"{OPS_AND_NN}|{KERNELS}attention_tile", unless=r"operator|for \("),
    Rule("last one forgotten", "a loop that ends early",
         ((r"(for \([^;]*;[^;]* < )([\w.()]+);", r"\1\2 - 1;"),), where=OPS_AND_NN),
    Rule("forgotten check", "bad input is not refused",
         ((r"\brequire(?:_\w+)?(?:<\w+>)?\([^;]*;", ";"),), where=OPS_AND_NN, unless=r"^\w"),
    Rule("forgotten line", "a step left out",
         ((STATEMENT + r"(?:\+\+)?(?!return|if|for|else|require|delete)[a-z_]\w*"
           r"(?:(?:\.|->)\w+|\[[^\]]*\]|\(\))*(?:\([^;\n]*\)| [-+*|/]?= [^;\n]*);(?=\n)", ";"),),
         where=OPS_AND_NN),
    Rule("forgotten case", "a special case that is not treated",
         ((STATEMENT + r"if \([^;{\n]*\) [^;{]*;(?=\n)", ";"),), where=OPS_AND_NN, unless="accumulate"),
    Rule("forgotten loop", "a step left out",
         ((STATEMENT + r"for \([^{\n]*\) [^;{]*;(?=\n)", ";"),), where=OPS_AND_NN),
]

RULES = ARITHMETIC + BACKWARD + OPERANDS + ATTENTION + MODULES + CONTROL
