#include "picture.h"

#include <stdlib.h>
#include <string.h>

// Which pixels a new one is made of, and how much each counts: all that it covers where it is larger than they are, and the
// two next to its middle where it is smaller.
struct span {
    int first, count;
    float *weights;
};

// The four parts of a pixel, which are worked on at once.
typedef float parts __attribute__((vector_size(16)));
typedef uint8_t bytes_of_pixel __attribute__((vector_size(4)));
typedef int32_t numbers __attribute__((vector_size(16)));

static parts read_pixel(const uint8_t *from) {
    bytes_of_pixel bytes;
    memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, parts);
}

// Nothing is below 0 or above 255, as the weights of a span come to 1.
static void write_pixel(parts value, uint8_t *to) {
    bytes_of_pixel bytes = __builtin_convertvector(__builtin_convertvector(value + 0.5f, numbers), bytes_of_pixel);
    memcpy(to, &bytes, sizeof bytes);
}

// The first of them has the weights of all.
static void free_spans(struct span *spans) {
    if (spans != NULL) free(spans[0].weights);
    free(spans);
}

static struct span *make_spans(int from, int to) {
    struct span *spans = calloc((size_t)to, sizeof *spans);
    double scale = (double)from / to;
    float *weights = calloc((size_t)to, sizeof(float) * ((size_t)scale + 3));
    if (spans == NULL || weights == NULL) {
        free(spans);
        free(weights);
        return NULL;
    }
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
        spans[index].weights = weights;
        double sum = 0;
        for (int pixel = first; pixel <= last; pixel++) {
            double low = pixel > start ? pixel : start, high = pixel + 1 < end ? pixel + 1 : end;
            double weight = high > low ? high - low : 0;
            weights[pixel - first] = (float)weight;
            sum += weight;
        }
        for (int place = 0; place < spans[index].count; place++) {
            if (sum > 0) weights[place] /= (float)sum;
            else weights[place] = place == 0;
        }
        weights += spans[index].count;
    }
    return spans;
}

// A line, narrower. Colours that may be clear count by how opaque they are, so that what is clear leaves no fringe.
static void shrink_line(const struct scaling *scaling, const uint8_t *line) {
    parts *out = scaling->shrunk;
    for (int x = 0; x < scaling->width; x++) {
        const struct span *span = &scaling->columns[x];
        const uint8_t *pixel = line + (size_t)span->first * 4;
        parts sum = {0, 0, 0, 0};
        if (scaling->is_solid) {
            for (int place = 0; place < span->count; place++, pixel += 4) sum += span->weights[place] * read_pixel(pixel);
        } else {
            for (int place = 0; place < span->count; place++, pixel += 4) {
                parts value = read_pixel(pixel);
                float weight = span->weights[place], opaque = weight * value[3] / 255;
                sum += (parts){opaque, opaque, opaque, weight} * value;
            }
        }
        out[x] = sum;
    }
}

// And begins the next one.
static void write_line(struct scaling *scaling) {
    parts *sums = scaling->sums;
    uint8_t *out = scaling->pixels + (size_t)scaling->width * 4 * (size_t)scaling->done;
    for (int x = 0; x < scaling->width; x++, out += 4) {
        parts sum = sums[x];
        sums[x] = (parts){0, 0, 0, 0};
        if (!scaling->is_solid) {
            float scale = sum[3] > 0 ? 255 / sum[3] : 0;
            sum *= (parts){scale, scale, scale, 1};
        }
        write_pixel(sum, out);
    }
    scaling->done += 1;
}

int begin_scaling(struct scaling *scaling, int from_width, int from_height, int width, int height, int is_solid) {
    memset(scaling, 0, sizeof *scaling);
    scaling->width = width;
    scaling->height = height;
    scaling->is_solid = is_solid;
    scaling->pixels = malloc((size_t)width * (size_t)height * 4);
    if (scaling->pixels == NULL) return 0;
    if (width == from_width && height == from_height) return 1;
    scaling->columns = make_spans(from_width, width);
    scaling->rows = make_spans(from_height, height);
    scaling->shrunk = malloc((size_t)width * sizeof(parts));
    scaling->sums = calloc((size_t)width, sizeof(parts));
    return scaling->columns != NULL && scaling->rows != NULL && scaling->shrunk != NULL && scaling->sums != NULL;
}

static void add_shrunk(struct scaling *scaling, float weight) {
    parts *sums = scaling->sums;
    const parts *shrunk = scaling->shrunk;
    for (int x = 0; x < scaling->width; x++) sums[x] += weight * shrunk[x];
}

void scale_line(struct scaling *scaling, const uint8_t *line) {
    int row = scaling->taken++;
    if (scaling->columns == NULL) {
        size_t length = (size_t)scaling->width * 4;
        if (scaling->done < scaling->height) memcpy(scaling->pixels + length * (size_t)scaling->done++, line, length);
        return;
    }
    shrink_line(scaling, line);
    // Neighbours often share a line.
    while (scaling->done < scaling->height && scaling->rows[scaling->done].first <= row) {
        const struct span *span = &scaling->rows[scaling->done];
        add_shrunk(scaling, span->weights[row - span->first]);
        if (row < span->first + span->count - 1) return;
        write_line(scaling);
    }
}

uint8_t *end_scaling(struct scaling *scaling) {
    free_spans(scaling->columns);
    free_spans(scaling->rows);
    free(scaling->shrunk);
    free(scaling->sums);
    uint8_t *pixels = scaling->pixels;
    memset(scaling, 0, sizeof *scaling);
    return pixels;
}

// Of lines that are fewer than what becomes of them each one is needed again and again.
static void enlarge(struct scaling *scaling, const uint8_t *pixels, size_t stride) {
    for (int y = 0; y < scaling->height; y++) {
        const struct span *span = &scaling->rows[y];
        for (int place = 0; place < span->count; place++) {
            const uint8_t *line = pixels + stride * (size_t)(span->first + place);
            shrink_line(scaling, line);
            add_shrunk(scaling, span->weights[place]);
        }
        write_line(scaling);
    }
}

uint8_t *resized(const struct picture *picture, struct window window, int width, int height) {
    struct scaling scaling;
    size_t stride = (size_t)picture->width * 4;
    const uint8_t *pixels = picture->pixels + stride * (size_t)window.top + (size_t)window.left * 4;
    if (!begin_scaling(&scaling, window.width, window.height, width, height, picture->is_solid)) {
        free(end_scaling(&scaling));
        return NULL;
    }
    if (height > window.height) {
        enlarge(&scaling, pixels, stride);
    } else {
        for (int y = 0; y < window.height; y++) scale_line(&scaling, pixels + stride * (size_t)y);
    }
    return end_scaling(&scaling);
}

int resize(struct picture *picture, int width, int height) {
    if (width == picture->width && height == picture->height) return 1;
    struct window whole = {0, 0, picture->width, picture->height};
    uint8_t *pixels = resized(picture, whole, width, height);
    if (pixels == NULL) return 0;
    free(picture->pixels);
    picture->pixels = pixels;
    picture->width = width;
    picture->height = height;
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
    if (picture->is_solid) return;
    for (size_t index = 0; index < count && !picture->has_alpha; index++) {
        picture->has_alpha = picture->pixels[4 * index + 3] < 255;
    }
}
