/// Why a field or a parameter is not valid.
public struct FieldProblemCode: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let required = FieldProblemCode(rawValue: "required")
    public static let wrongType = FieldProblemCode(rawValue: "wrongType")
    public static let invalid = FieldProblemCode(rawValue: "invalid")
    public static let blank = FieldProblemCode(rawValue: "blank")
    public static let tooShort = FieldProblemCode(rawValue: "tooShort")
    public static let tooLong = FieldProblemCode(rawValue: "tooLong")
    public static let tooFew = FieldProblemCode(rawValue: "tooFew")
    public static let tooMany = FieldProblemCode(rawValue: "tooMany")
    public static let outOfRange = FieldProblemCode(rawValue: "outOfRange")
    public static let unknown = FieldProblemCode(rawValue: "unknown")
    public static let notAllowed = FieldProblemCode(rawValue: "notAllowed")
    public static let reserved = FieldProblemCode(rawValue: "reserved")
}
