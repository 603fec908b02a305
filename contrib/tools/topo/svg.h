/*
 * The elements of all figures. Lengths are in pixels, x to the right, y down.
 */
#ifndef TOOL_SVG_H
#define TOOL_SVG_H

#include <stdio.h>

/** Mean width of a character, as a share of the font size. */
#define TOOL_SVG_CHARACTER 0.58

typedef struct tool_text_style {
    double size;
    const char *anchor; /**< "start", "middle" or "end" */
    const char *colour;
    int bold;
} tool_text_style_t;

/** Opens the document, white, with a title that browsers show. */
void tool_svg_begin(FILE *stream, double width, double height, const char *title);
void tool_svg_end(FILE *stream);

/** One line of text; y is its base line. */
void tool_svg_text(FILE *stream, double x, double y, tool_text_style_t style, const char *text);

void tool_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *colour,
                   double width);
void tool_svg_rectangle(FILE *stream, double x, double y, double width, double height,
                        const char *colour, double radius);
/** A disc of the colour, or a ring of it filled with white. */
void tool_svg_dot(FILE *stream, double x, double y, double radius, const char *colour, int filled);

/** Width that a line of text takes, roughly. */
double tool_svg_text_width(const char *text, double size);

#endif
