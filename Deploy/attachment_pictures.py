"""What pictures look like when they come back: decoded by Pillow, and compared with what Pillow makes of what was sent."""

import io
import os
import random

from attachment_parts import check

KEPT_SIDE, KEPT_BYTES, THUMBNAIL = 1_920, 2_000_000, (200, 200)
# How much the channels differ on average, of 255. Pillow has the same encoders: what is made right hardly differs at all, but
# where noise is made smaller, which it weighs otherwise.
NEAR, NEAR_IN_NOISE, FAR = 4, 8, 20
# By quality, the first number of the table that libjpeg quantizes brightness with.
QUALITIES = {82: 6, 72: 9, 60: 13, 45: 18}


def distance(one, other):
    """In front of black; 255 where the sizes differ."""
    from PIL import Image, ImageChops, ImageStat

    if one.size != other.size:
        return 255
    black = Image.new("RGBA", one.size, "black")
    flat = [Image.alpha_composite(black, image.convert("RGBA")).convert("RGB") for image in (one, other)]
    return sum(ImageStat.Stat(ImageChops.difference(*flat)).mean) / 3


def upright(content):
    """Its first picture as it is meant to be seen, in sRGB."""
    from PIL import Image, ImageCms, ImageOps

    image = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    if image.mode.startswith("I;16"):
        image = image.convert("I").point([value // 257 for value in range(65_536)], "L")
    if profile := image.info.get("icc_profile"):
        own, srgb = ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB")
        image = ImageCms.profileToProfile(image, own, srgb, ImageCms.Intent.PERCEPTUAL, "RGB")
    return image.convert("RGBA")


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def encoded(image, kind, quality):
    options = {"JPEG": {"quality": quality, "optimize": True}, "WEBP": {"quality": quality, "method": 3}}.get(kind, {})
    return saved(image.convert("RGB") if kind == "JPEG" else image, kind, **options)


def again(image, kind, quality):
    from PIL import Image

    return Image.open(io.BytesIO(encoded(image, kind, quality)))


def small(image):
    """The square in the middle, as thumbnails are."""
    from PIL import Image, ImageOps

    scale = Image.Resampling.BOX if min(image.size) >= THUMBNAIL[0] else Image.Resampling.BILINEAR
    return ImageOps.fit(image, THUMBNAIL, scale)


def blurred(text):
    import blurhash
    from PIL import Image

    rows = blurhash.decode(text, 32, 32)
    return Image.frombytes("RGB", (32, 32), bytes(value for row in rows for pixel in row for value in pixel))


def blurhash_of(image):
    """As another program makes it; what is clear counts as black."""
    import blurhash
    from PIL import Image

    scale = min(1, 32 / max(image.size))
    width, height = (max(1, round(side * scale)) for side in image.size)
    content = image.convert("RGBA").resize((width, height), Image.Resampling.BOX).tobytes()
    pixels = [content[start : start + 4] for start in range(0, len(content), 4)]
    light = [[blurhash.srgb_to_linear(value) * pixel[3] / 255 for value in pixel[:3]] for pixel in pixels]
    return blurhash.encode([light[width * row : width * (row + 1)] for row in range(height)], 4, 3, linear=True)


class Inspection:
    """A picture that was sent, and what came back, decoded."""

    def __init__(self, person, name, content):
        from PIL import Image

        self.name, self.source = name, content
        self.status, self.answer = person.upload(content, "kind=image")
        self.is_made = self.status == 201
        if not self.is_made:
            return
        self.content = person.ask("GET", self.answer["url"])[1]
        self.image = Image.open(io.BytesIO(self.content))
        self.thumbnail = Image.open(io.BytesIO(person.ask("GET", self.answer["thumbnailURL"])[1]))
        self.image.load()
        self.thumbnail.load()

    def faults(self, expected, kind=None, quality=82, near=NEAR):
        """Where it is not as the expected picture is, of the kind that was sent where no other is said."""
        from PIL import Image

        if not self.is_made:
            return [f"{self.name}: {self.status}"]
        answer, thumbnail = self.answer, self.thumbnail.format
        kind = kind or Image.open(io.BytesIO(self.source)).format
        found = {
            "size": self.image.size == (answer["width"], answer["height"]) and max(self.image.size) <= KEPT_SIDE,
            "bytes": len(self.content) <= KEPT_BYTES,
            "kind": self.image.format == kind and self.image.get_format_mimetype() == answer["contentType"],
            "thumbnail's size": self.thumbnail.size == THUMBNAIL,
            "profile": not self.image.info.get("icc_profile"),
        }
        numbers = {
            "picture": distance(self.image, again(expected, kind, quality)),
            "thumbnail": distance(self.thumbnail, again(small(expected), thumbnail, 80 if thumbnail == "JPEG" else 75)),
            "blurhash": distance(blurred(answer["blurhash"]), blurred(blurhash_of(expected))),
        }
        wrong = [what for what, is_so in found.items() if not is_so]
        wrong += [f"{what} differs by {number:.1f}" for what, number in numbers.items() if number > near]
        return [f"{self.name}: {each}" for each in wrong]

    def least(self, others):
        """How near it comes to one of the others, in whatever is made of it."""
        return min(
            min(distance(self.image, other), distance(self.thumbnail, small(other)),
                distance(blurred(self.answer["blurhash"]), blurred(blurhash_of(other))))
            for other in others
        )


def corners():
    """Of four colours, with the middle somewhere else: no turn of it looks like another."""
    from PIL import Image

    image = Image.new("RGB", (150, 100), "white")
    for colour, place in [("red", (0, 0, 90, 60)), ("green", (90, 0, 150, 60)), ("blue", (0, 60, 90, 100))]:
        image.paste(colour, place)
    return image


def noise(mode, width, height, grain=1, values=bytes(range(256))):
    """Grains of so many pixels, which take more bytes than any photo of that size."""
    from PIL import Image

    size, count = (width // grain, height // grain), width * height // grain**2
    content = random.Random(1).randbytes(count * len(mode)).translate(values)
    return Image.frombytes(mode, size, content).resize((width, height), Image.Resampling.NEAREST)


def orientations(person):
    from PIL import Image

    faults, least = [], 255
    for kind, options in [("JPEG", {"quality": 95}), ("PNG", {}), ("WEBP", {"lossless": True})]:
        sources = []
        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = orientation
            sources.append(saved(corners(), kind, exif=exif, **options))
        meant = [upright(source) for source in sources]
        for place, source in enumerate(sources):
            inspection = Inspection(person, f"{kind} {place + 1}", source)
            faults += inspection.faults(meant[place])
            if inspection.is_made:
                least = min(least, inspection.least(meant[:place] + meant[place + 1 :]))
    check(not faults, f"pictures are upright by each orientation {faults or ''}")
    check(least > FAR, f"and by another would be others ({least:.0f})")


def samples(person, directory, refused):
    from PIL import Image

    faults = []
    for name in sorted(set(os.listdir(directory)) - set(refused)):
        with open(f"{directory}/{name}", "rb") as file:
            inspection = Inspection(person, name, file.read())
        faults += inspection.faults(upright(inspection.source))
        if inspection.is_made and "profile" in name:
            least = inspection.least([Image.open(io.BytesIO(inspection.source)).convert("RGB")])
            check(least > FAR, f"{name} without its profile would be another ({least:.0f})")
    check(not faults, f"pictures of each format, depth and profile look as they did {faults or ''}")


def sizes(person):
    from PIL import Image

    photo = Inspection(person, "a photo", saved(noise("RGB", 4_000, 3_000, 4), "JPEG", quality=50))
    # Both decode it at half its size.
    half = Image.open(io.BytesIO(photo.source))
    half.draft("RGB", (2_000, 1_500))
    faults = photo.faults(half.resize((1_920, 1_440), Image.Resampling.BILINEAR).convert("RGBA"), near=NEAR_IN_NOISE)
    tall = Inspection(person, "a banner", saved(corners().resize((301, 4_000)), "PNG"))
    faults += tall.faults(upright(tall.source).resize((144, 1_920), Image.Resampling.BOX))
    check(not faults, f"pictures are made at most {KEPT_SIDE:,} pixels wide and high {faults or ''}")

    # Black and white, of which the best quality takes more than there is, and so does the next.
    sand = noise("L", 1_920, 1_920, values=bytes(128) + bytes([255]) * 128)
    inspection = Inspection(person, "sand", saved(sand, "JPEG", quality=90))
    meant = upright(inspection.source)
    fitting = [quality for quality in QUALITIES if len(encoded(meant, "JPEG", quality)) <= KEPT_BYTES]
    best = max(fitting, default=0)
    faults = inspection.faults(meant, quality=best, near=NEAR_IN_NOISE)
    if inspection.is_made and inspection.image.quantization[0][0] != QUALITIES.get(best):
        faults.append("quality")
    check(0 < best < 72 and not faults, f"and have the best quality that fits ({best}) {faults or ''}")

    # As a PNG it is more than is kept, and less than the scanner takes.
    clear = noise("RGBA", 1_000, 900)
    faults = []
    for kind, image in [("JPEG", clear.convert("RGB")), ("WEBP", clear)]:
        inspection = Inspection(person, f"a PNG for {kind}", saved(image, "PNG"))
        faults += inspection.faults(image.convert("RGBA"), kind, near=NEAR_IN_NOISE)
    check(not faults, f"a PNG that is too large becomes a JPEG, or a WebP where it is clear {faults or ''}")


def pictures(person, directory, refused):
    orientations(person)
    samples(person, directory, refused)
    sizes(person)
