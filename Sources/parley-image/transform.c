#include "picture.h"

#include <stdlib.h>
#include <string.h>

// Which pixels a new one is made of, and how much each counts: all that it covers where it is larger than they are, and the
// two next to its middle where it is smaller.
struct span {
    int first, count;
    float *weights;
};

static void free_spans(struct span *spans, int count) {
    for (int index = 0; spans != NULL && index < count; index++) free(spans[index].weights);
    free(spans);
}

static struct span *make_spans(int from, int to) {
    struct span *spans = calloc((size_t)to, sizeof *spans);
    if (spans == NULL) return NULL;
    double scale = (double)from / to;
    for (int index = 0; index < to; index++) {
        double start = scale >= 1 ? index * scale : (index + 0.5) * scale - 0.5;
        double end = scale >= 1 ? (index + 1) * scale : start + 1;
        if (start < 0) start = 0;
        if (end > from) end = from;
        int first = (int)start, last = (int)end;
        if (first > from - 1) first = from - 1;
        if (last > from - 1) last = from - 1;
        spans[index].first = first;
        spans[index].count = last - first + 1;
        spans[index].weights = malloc(sizeof(float) * (size_t)spans[index].count);
        if (spans[index].weights == NULL) {
            free_spans(spans, to);
            return NULL;
        }
        double sum = 0;
        for (int pixel = first; pixel <= last; pixel++) {
            double low = pixel > start ? pixel : start, high = pixel + 1 < end ? pixel + 1 : end;
            double weight = high > low ? high - low : 0;
            spans[index].weights[pixel - first] = (float)weight;
            sum += weight;
        }
        for (int place = 0; place < spans[index].count; place++) {
            if (sum > 0) spans[index].weights[place] /= (float)sum;
            else spans[index].weights[place] = place == 0;
        }
    }
    return spans;
}

// A line, narrower: colours count by how opaque they are, so that what is clear leaves no fringe.
static void shrink_line(const uint8_t *line, const struct span *spans, int width, int is_cmyk, float *out) {
    for (int x = 0; x < width; x++) {
        float sum[4] = {0, 0, 0, 0};
        const uint8_t *pixel = line + (size_t)spans[x].first * 4;
        for (int place = 0; place < spans[x].count; place++, pixel += 4) {
            float weight = spans[x].weights[place];
            float opaque = is_cmyk ? weight : weight * (float)pixel[3] / 255;
            sum[0] += opaque * pixel[0];
            sum[1] += opaque * pixel[1];
            sum[2] += opaque * pixel[2];
            sum[3] += weight * pixel[3];
        }
        memcpy(out + (size_t)x * 4, sum, sizeof sum);
    }
}

static uint8_t rounded(float value) { return value <= 0 ? 0 : value >= 254.5f ? 255 : (uint8_t)(value + 0.5f); }

static void write_line(const float *sums, int width, int is_cmyk, uint8_t *out) {
    for (int x = 0; x < width; x++, sums += 4, out += 4) {
        float opaque = is_cmyk ? 1 : sums[3] / 255;
        float scale = opaque > 0 ? 1 / opaque : 0;
        for (int channel = 0; channel < 3; channel++) out[channel] = rounded(sums[channel] * scale);
        out[3] = rounded(sums[3]);
    }
}

int resize(struct picture *picture, int width, int height) {
    if (width == picture->width && height == picture->height) return 1;
    struct span *columns = make_spans(picture->width, width);
    struct span *rows = make_spans(picture->height, height);
    size_t line = (size_t)width * 4;
    float *shrunk = malloc(line * sizeof(float)), *sums = malloc(line * sizeof(float));
    uint8_t *pixels = malloc(line * (size_t)height);
    int is_made = columns != NULL && rows != NULL && shrunk != NULL && sums != NULL && pixels != NULL;
    int held = -1;
    for (int y = 0; is_made && y < height; y++) {
        memset(sums, 0, line * sizeof(float));
        for (int place = 0; place < rows[y].count; place++) {
            int source = rows[y].first + place;
            // Neighbours often share a line.
            if (source != held) {
                const uint8_t *from = picture->pixels + (size_t)source * picture->width * 4;
                shrink_line(from, columns, width, picture->is_cmyk, shrunk);
                held = source;
            }
            float weight = rows[y].weights[place];
            for (size_t index = 0; index < line; index++) sums[index] += weight * shrunk[index];
        }
        write_line(sums, width, picture->is_cmyk, pixels + line * (size_t)y);
    }
    free_spans(columns, width);
    free_spans(rows, height);
    free(shrunk);
    free(sums);
    if (!is_made) {
        free(pixels);
        return 0;
    }
    free(picture->pixels);
    picture->pixels = pixels;
    picture->width = width;
    picture->height = height;
    return 1;
}

int crop_square(const struct picture *picture, struct picture *square) {
    int side = picture->width < picture->height ? picture->width : picture->height;
    int left = (picture->width - side) / 2, top = (picture->height - side) / 2;
    *square = *picture;
    square->profile = NULL;
    square->width = square->height = side;
    square->pixels = malloc((size_t)side * side * 4);
    if (square->pixels == NULL) return 0;
    for (int y = 0; y < side; y++) {
        const uint8_t *from = picture->pixels + ((size_t)(top + y) * picture->width + left) * 4;
        memcpy(square->pixels + (size_t)y * side * 4, from, (size_t)side * 4);
    }
    return 1;
}

int turn_upright(struct picture *picture) {
    int orientation = picture->orientation;
    picture->orientation = 1;
    if (orientation <= 1) return 1;
    int width = picture->width, height = picture->height;
    int is_swapped = orientation >= 5;
    int new_width = is_swapped ? height : width, new_height = is_swapped ? width : height;
    uint8_t *pixels = malloc((size_t)width * height * 4);
    if (pixels == NULL) return 0;
    for (int y = 0; y < new_height; y++) {
        for (int x = 0; x < new_width; x++) {
            int from_x = is_swapped ? y : x, from_y = is_swapped ? x : y;
            if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) from_x = width - 1 - from_x;
            if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) from_y = height - 1 - from_y;
            memcpy(pixels + ((size_t)y * new_width + x) * 4, picture->pixels + ((size_t)from_y * width + from_x) * 4, 4);
        }
    }
    free(picture->pixels);
    picture->pixels = pixels;
    picture->width = new_width;
    picture->height = new_height;
    return 1;
}

void find_alpha(struct picture *picture) {
    size_t count = (size_t)picture->width * picture->height;
    picture->has_alpha = 0;
    for (size_t index = 0; index < count && !picture->has_alpha; index++) {
        picture->has_alpha = picture->pixels[4 * index + 3] < 255;
    }
}
