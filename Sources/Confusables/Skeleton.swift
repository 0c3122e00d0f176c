import Foundation

/// Unicode's measure of likeness (UTS #39 §4): texts with one skeleton are taken for one another.
package enum Skeleton {
    /// The skeleton of a text, for comparing and never for showing.
    package static func skeleton(of text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            if let prototype = Prototypes.prototype(of: scalar) {
                scalars.append(contentsOf: prototype)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars).decomposedStringWithCanonicalMapping
    }

    /// Whether a skeleton shows a character as another than it is.
    package static func replaces(_ scalar: Unicode.Scalar) -> Bool {
        Prototypes.prototype(of: scalar) != nil
    }
}
