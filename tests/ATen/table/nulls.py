"""Writes calls of every public function of ATen with a missing argument, for nulls.c.

usage: nulls.py HEADER... OUTPUT

Each pointer, list of tensors and list of numbers of each function that the headers declare becomes a
row: the function is called with NULL for it, and a tensor also undefined, the others being sound.
"""

import re
import sys

# What is sound; any other pointer is NULL, and any other type is all zero.
SOUND = {
    "at_tensor *": "sound.tensor",
    "at_type *": "AT_CPU(AT_FLOAT)",
    "at_generator *": "sound.generator",
    "at_storage *": "sound.storage",
    "at_dict *": "sound.dict",
    "char *": '"/nonexistent/x"',
    "at_tensors ": "(at_tensors){&sound.tensor, 1}",
    "at_ints ": "(at_ints){&sound.number, 1}",
    "at_doubles ": "(at_doubles){&sound.real, 1}",
}
# What is missing of each.
MISSING = {
    "at_tensor *": ["NULL", "at_undefined()"],
    "at_tensors ": ["(at_tensors){NULL, 1}", "(at_tensors){&sound.null, 1}", "(at_tensors){&sound.undefined, 1}"],
    "at_ints ": ["(at_ints){NULL, 1}", "(at_ints){&sound.number, -1}"],
    "at_doubles ": ["(at_doubles){NULL, 1}", "(at_doubles){&sound.real, -1}"],
    "at_type *": ["NULL", "at_undefinedType()"],
}


def declarations(path):
    text = re.sub(r"/\*.*?\*/", " ", open(path).read(), flags=re.S)
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#(else|endif)", "#", text, flags=re.M | re.S)
    text = re.sub(r"^\s*#(.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
    for match in re.finditer(r"\bAT_API\s+([^;{]*);|\bstatic inline\s+([^;{]*)\{", text):
        yield " ".join((match[1] or match[2]).split())


def parse(declaration):
    """The result's type, the name, and type and name of each parameter; None of what is no function."""
    match = re.fullmatch(r"(.*?)\(?(at_\w+)\)? ?\(([^()]*)\)(?: AT_MUST_USE)?", declaration)
    if not match:
        return None
    result, name, parameters = match.groups()
    found = []
    for parameter in parameters.split(", ") if parameters not in ("void", "") else []:
        parts = re.fullmatch(r"(.*?[ *])(\w+)", parameter)
        found.append((parts[1], parts[2]))
    return result, name, found


def plain(c_type):
    return c_type.replace("const ", "").replace("struct ", "")


def sound(c_type):
    if plain(c_type) in SOUND:
        return SOUND[plain(c_type)]
    return "NULL" if "*" in c_type else "(%s){0}" % c_type.strip()


# What becomes of a result; that of any other type is dropped.
KEPT = {
    "at_tensor *": "got.tensor = %s",
    "const at_type *": "got.type = %s",
    "const at_tensors *": "got.count = count_of(%s)",
    "double ": "got.number = %s",
    "char *": "at_string_free(%s)",
    "at_optimizer *": "at_optimizer_free(%s)",
    "at_module *": "at_module_free(%s)",
    "at_dict *": "at_dict_free(%s)",
    "at_average *": "at_average_free(%s)",
    "at_progress *": "at_progress_free(%s)",
    "at_summary *": "at_summary_free(%s)",
    "at_dataset *": "at_dataset_free(%s)",
    "void ": "%s",
}


def rows(result, name, parameters):
    for i, (c_type, argument) in enumerate(parameters):
        for missing in MISSING.get(plain(c_type), ["NULL"] if "*" in c_type else []):
            values = [missing if k == i else sound(t) for k, (t, _) in enumerate(parameters)]
            call = "(%s)(%s)" % (name, ", ".join(values))
            call = KEPT.get(result, "__auto_type made = %s; (void)made") % call
            yield '  CALL("%s", "%s", "%s", %s)\n' % (name, argument, missing, call)


*headers, output = sys.argv[1:]
functions = {}
for header in headers:
    for declaration in declarations(header):
        function = parse(declaration)
        if function and re.match("at_call_|at_error_locate$", function[1]):
            continue  # what macros hand results to, which may be NULL
        if function:
            functions[function[1]] = function
        elif "(" in declaration:
            sys.exit("%s: not understood: %s" % (header, declaration))
with open(output, "w") as file:
    written = []
    for function in functions.values():
        calls = "".join(rows(*function))
        if calls:
            written.append("calls_of_" + function[1])
            file.write("static void %s(void)\n{\n%s}\n" % (written[-1], calls))
    file.write("static void (*const calls_of[])(void) = {\n  %s};\n" % ",\n  ".join(written))
