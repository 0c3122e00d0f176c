import Testing

@testable import Web

@Suite struct ClientModuleTests {
    private static let module = ClientModule(
        path: "views/list.js",
        text: """
            // Says `import { x } from './y.js';` in a comment.
            import '../store/store.js';
            import { h, t as text } from './element.js';
            import * as names from '../names.js';

            export const limit = 3;
            export class Row {}
            export async function load() {
              const { default: Later } = await import('./later.js');
              return [Later, h, text, names, new URL('x.json', import.meta.url)];
            }
            function own() {}
            export { own };
            export default class List extends Row {}

            """
    )

    @Test func `says what it imports, at once and later`() {
        #expect(Self.module.imports == ["store/store.js", "views/element.js", "names.js"])
        #expect(Self.module.laterImports == ["views/later.js"])
    }

    @Test func `takes from others what it imports, and gives what it exports`() {
        let definition = Self.module.definition(present: [])
        for line in [
            "define('views/list.js', (function (need, at, exports) {",
            "need('store/store.js');",
            "const { h, t: text } = need('views/element.js');",
            "const names = need('names.js');",
            "const limit = 3;",
            "class Row {}",
            "async function load() {",
            "class List extends Row {}",
            "Object.assign(exports, { load });",
            "Object.assign(exports, { limit, Row, own, default: List });",
        ] {
            #expect(definition.contains("\n\(line)\n") || definition.hasPrefix("\(line)\n"), "\(line)")
        }
        #expect(definition.contains("await import(at('views/later.js'))"))
        #expect(definition.contains("new URL('x.json', at('views/list.js'))"))
        #expect(!definition.contains("\nexport "))
        #expect(!definition.contains("in a comment"))
    }

    @Test(arguments: [
        "", "// Nothing but this.", "import h from 'elsewhere';", "export", "export default {};", "import('./",
    ])
    func `takes what joining need not change as it is`(text: String) {
        let module = ClientModule(path: "a.js", text: text)
        #expect(module.imports.isEmpty && module.laterImports.isEmpty)
        #expect(module.body == (text.hasPrefix("//") ? "" : text))
    }

    @Test func `asks for no file of a module that every page has`() {
        let definition = Self.module.definition(present: ["views/later.js", "views/element.js"])
        #expect(definition.contains("await new Promise((resolve) => resolve(need('views/later.js')))"))
        #expect(!definition.contains("import("))
    }
}
