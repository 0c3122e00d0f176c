import Testing

@testable import Identity

struct ReservedNamesTests {
    @Test(arguments: [
        "admin", "Admin", "ADMIN", "аdmin", "ADMІN", "adm1n", "admın", "ａｄｍｉｎ", "𝐚𝐝𝐦𝐢𝐧", "ad\u{200B}min", "adrnin",
        "a.d.m.i.n",
        "* Admin *", "@all", "＠all", "@All", "a||", "AlI", "аll", "HERE", "Неre", "everyone!", "ѕystem", "Suррort",
        "ParIey", "Moderator", "Administrator", "System ✓",
    ])
    func `what is taken for a reserved name is reserved`(name: String) {
        #expect(ReservedNames().contains(name))
    }

    @Test(arguments: [
        "Ali", "ALI", "@Ali", "Ada", "Adminah", "Supporter", "Heremias", "Allegra", "Sys", "⚡⚡", "李小龙", "Алла",
        "All of us",
        "Admin1",
    ])
    func `other names are not`(name: String) {
        #expect(!ReservedNames().contains(name))
    }

    @Test func `a server's own names are reserved besides`() {
        let names = ReservedNames(adding: ["Acme", "Владимир"])
        for name in ["ACME", "Асmе", "acme!", "владимир", "admin"] { #expect(names.contains(name)) }
        #expect(!names.contains("Acmeist"))
    }

    @Test(arguments: [
        ("Support", InvalidField.Code.reserved), ("@everyone", .reserved), ("\u{2060}\u{200D}", .invalid),
        ("ad\u{0}min", .invalid), ("ad\u{202E}min", .invalid), ("Ada\u{2066}", .invalid), ("Adа", nil),
    ])
    func `a display name is neither reserved nor without anything to be seen`(name: String, refusal: InvalidField.Code?)
    {
        do {
            _ = try DisplayNameRule().check(name)
            #expect(refusal == nil)
        } catch {
            #expect(error.code == refusal)
        }
    }
}
