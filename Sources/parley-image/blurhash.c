// What is shown of a picture until it is there: a few waves of colour as text (https://github.com/woltapp/blurhash has the
// format).

#include "picture.h"

#include <math.h>
#include <string.h>

#define ACROSS 4
#define DOWN 3

static double linear(uint8_t value) {
    double part = value / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static int from_linear(double value) {
    double part = value < 0 ? 0 : value > 1 ? 1 : value;
    double bent = part <= 0.0031308 ? part * 12.92 : 1.055 * pow(part, 1 / 2.4) - 0.055;
    return (int)(bent * 255 + 0.5);
}

static double signed_root(double value) { return copysign(sqrt(fabs(value)), value); }

static char *write_digits(char *out, int value, int count) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";
    for (int place = count - 1; place >= 0; place--) {
        out[place] = digits[value % 83];
        value /= 83;
    }
    return out + count;
}

static int step(double value, double greatest) {
    int level = (int)floor(signed_root(value / greatest) * 9 + 9.5);
    return level < 0 ? 0 : level > 18 ? 18 : level;
}

void write_blurhash(const struct picture *picture, char *out) {
    double waves[ACROSS * DOWN][3];
    memset(waves, 0, sizeof waves);
    int width = picture->width, height = picture->height;
    for (int wave = 0; wave < ACROSS * DOWN; wave++) {
        int across = wave % ACROSS, down = wave / ACROSS;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                const uint8_t *pixel = picture->pixels + ((size_t)y * width + x) * 4;
                double opaque = pixel[3] / 255.0;
                double basis = cos(M_PI * across * x / width) * cos(M_PI * down * y / height) * opaque;
                for (int channel = 0; channel < 3; channel++) waves[wave][channel] += basis * linear(pixel[channel]);
            }
        }
        double scale = (wave == 0 ? 1.0 : 2.0) / ((double)width * height);
        for (int channel = 0; channel < 3; channel++) waves[wave][channel] *= scale;
    }
    double greatest = 0;
    for (int wave = 1; wave < ACROSS * DOWN; wave++) {
        for (int channel = 0; channel < 3; channel++) greatest = fmax(greatest, fabs(waves[wave][channel]));
    }
    int level = (int)floor(greatest * 166 - 0.5);
    level = level < 0 ? 0 : level > 82 ? 82 : level;
    out = write_digits(out, ACROSS - 1 + (DOWN - 1) * 9, 1);
    out = write_digits(out, level, 1);
    int colour = from_linear(waves[0][0]) << 16 | from_linear(waves[0][1]) << 8 | from_linear(waves[0][2]);
    out = write_digits(out, colour, 4);
    double range = (level + 1) / 166.0;
    for (int wave = 1; wave < ACROSS * DOWN; wave++) {
        const double *value = waves[wave];
        out = write_digits(out, step(value[0], range) * 361 + step(value[1], range) * 19 + step(value[2], range), 2);
    }
    *out = 0;
}
