import Foundation
import Testing

@testable import Confusables

/// Skeletons, by the examples of UTS #39 and by its data.
struct SkeletonTests {
    /// Texts with one skeleton, from §4 of UTS #39 and its table of confusables by scripts.
    @Test(arguments: [
        ("ρ⍺у𝓅𝒂ן", "paypal"), ("раураl", "paypal"), ("ѕсоре", "scope"), ("рор", "pop"), ("Сirсlе", "Circle"),
        ("ljeto", "ljeto"), ("rn", "m"), ("l", "1"), ("I", "l"), ("O", "0"), ("ﬁsh", "fish"), ("𝐀𝐝𝐚", "Ada"),
        ("søs", "s\u{6F}\u{338}s"), ("Å", "A\u{30A}"), ("ä", "a\u{308}"),
        // What shows nothing: a joiner, a soft hyphen, a variation selector, a filler.
        ("Ad\u{200D}a", "Ada"), ("Ad\u{AD}a", "Ada"), ("Ad\u{FE0F}a", "Ada"), ("Ad\u{3164}a", "Ada"),
        // Spaces of any width.
        ("Ada\u{2003}L", "Ada L"), ("Ada\u{A0}L", "Ada L"),
    ])
    func `texts that look alike have one skeleton`(text: String, other: String) {
        #expect(Skeleton.skeleton(of: text) == Skeleton.skeleton(of: other))
    }

    @Test(arguments: [("Ada", "Eda"), ("Neil", "Nell"), ("Åsa", "Asa"), ("Ada", "ada"), ("日本", "日木"), ("Ada", "Adaa")])
    func `texts that look different have two`(text: String, other: String) {
        #expect(Skeleton.skeleton(of: text) != Skeleton.skeleton(of: other))
    }

    @Test func `every character of the data has the skeleton that the data says`() {
        #expect(Prototypes.table.count == 6_311)
        for (scalar, prototype) in Prototypes.table {
            let prototype = String(String.UnicodeScalarView(prototype))
            // A character that is made of others goes by those, which come first; one that shows nothing goes by nothing.
            guard scalar.isWhole, !scalar.properties.isDefaultIgnorableCodePoint else { continue }
            #expect(Skeleton.skeleton(of: String(scalar)) == prototype.decomposedStringWithCanonicalMapping)
        }
    }

    @Test(arguments: [
        ("ALICE", "alice"), ("BiII", "Bill"), ("B0b", "bob"), ("Воb", "BOB"), ("МАRК", "mark"), ("ВЕРА", "вера"),
        ("Γιάννης", "γιάννης"), ("ΗELLO", "hello"), ("Ada  Lovelace", "Ada Lovelace"), ("Straße", "STRASSE"),
        ("Al1ce", "AlIce"), ("İpek", "i\u{307}pek"), ("ＡＤＡ", "ada"), ("𝔸da", "ada\u{200B}"),
    ])
    func `names are alike by their look or by their letters`(name: String, other: String) {
        #expect(NameSkeleton(name).isAlike(NameSkeleton(other)))
        #expect(NameSkeleton(other).isAlike(NameSkeleton(name)))
    }

    @Test(arguments: [("Ali", "All"), ("Neil", "Nell"), ("Anna", "Ana"), ("Вера", "Bepo"), ("Ada", "Ada L")])
    func `other names are not`(name: String, other: String) {
        #expect(!NameSkeleton(name).isAlike(NameSkeleton(other)))
    }

    @Test func `a skeleton has a bound, whatever characters become`() {
        let skeleton = NameSkeleton(String(repeating: "\u{FDFA}", count: 30))
        #expect(skeleton.appearance.unicodeScalars.count == 128)
        #expect(skeleton.letters.unicodeScalars.count == 128)
    }
}

extension Unicode.Scalar {
    fileprivate var isWhole: Bool {
        Array(String(self).decomposedStringWithCanonicalMapping.unicodeScalars) == [self]
    }
}
