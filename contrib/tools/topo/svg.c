#include "svg.h"

#include "colours.h"
#include "contrib/tools/common/text.h"

void tool_svg_begin(FILE *stream, double width, double height, const char *title)
{
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<title>",
            width, height, width, height);
    common_xml_text(stream, title);
    fputs("</title>\n", stream);
    tool_svg_rectangle(stream, 0, 0, width, height, "#ffffff", 0);
}

void tool_svg_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

void tool_svg_text(FILE *stream, double x, double y, tool_text_style_t style, const char *text)
{
    fprintf(stream,
            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"%s\"%s>", x,
            y, style.size, style.anchor, style.colour, style.bold ? " font-weight=\"bold\"" : "");
    common_xml_text(stream, text);
    fputs("</text>\n", stream);
}

void tool_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *colour,
                   double width)
{
    fprintf(stream,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"%.2f\"/>\n",
            x1, y1, x2, y2, colour, width);
}

void tool_svg_rectangle(FILE *stream, double x, double y, double width, double height,
                        const char *colour, double radius)
{
    fprintf(
        stream,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"%s\"/>\n", x,
        y, width, height, radius, colour);
}

void tool_svg_dot(FILE *stream, double x, double y, double radius, const char *colour, int filled)
{
    fprintf(stream,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"1.2\"/>\n",
            x, y, radius, filled ? colour : "#ffffff", colour);
}

double tool_svg_text_width(const char *text, double size)
{
    return common_text_width(text) * size * TOOL_SVG_CHARACTER;
}
