"""Tables in Markdown, and numbers in them."""


def table(lines):
    """Lines of cells, the first of which are titles, in columns of the same
    width"""
    width = [max(3, *(len(line[column]) for line in lines)) for column in range(len(lines[0]))]
    lines = [lines[0], ["-" * columns for columns in width], *lines[1:]]
    return "".join("| " + " | ".join(cell.ljust(columns) for cell, columns in zip(line, width)) + " |\n"
                   for line in lines)


def two_digits(number):
    """Rounded: a model knows no more"""
    if number == 0:
        return "0"
    digits = 1
    while abs(number) * 10 ** digits < 9.95:
        digits += 1
    return f"{number:.{digits}f}" if abs(number) < 9.95 else f"{round(number, -max(0, len(str(int(number))) - 2)):,.0f}"


def count(number):
    return f"{number:,}"


def share(part):
    return "none" if part == 0 else f"{two_digits(100 * part)} %"


def duration(seconds):
    if seconds == 0:
        return "at once"
    return f"{two_digits(1000 * seconds)} ms" if seconds < 1 else f"{two_digits(seconds)} s"
