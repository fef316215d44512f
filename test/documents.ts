import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = new URL('../', import.meta.url);

/** A piece of code that a document shows. */
export interface CodeBlock {
  /** Where it stands: the heading above it, or `file: symbol`. */
  readonly name: string;
  /** `ts` or `js`. */
  readonly language: string;
  readonly code: string;
}

/** An exported name and what its doc comment holds. */
export interface DocumentedExport {
  readonly name: string;
  readonly isDocumented: boolean;
  readonly hasExample: boolean;
}

/** All `ts` and `js` blocks of a Markdown text, named by the heading they stand under. Other languages are shown and not run. */
export function blocksOf(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = 'top';
  for (const [, title, language, code] of markdown.matchAll(/^#{1,6} +([^\n]+)$|^```([a-z]*)[^\n]*\n(.*?)^```$/gms)) {
    if (title !== undefined) heading = title.replaceAll('`', '');
    else if (language === 'ts' || language === 'js') blocks.push({ name: heading, language, code: code as string });
  }
  return numbered(blocks);
}

/** All `@example`s of the doc comments of a TypeScript file. */
export function examplesOf(file: string, text: string): CodeBlock[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const blocks: CodeBlock[] = [];
  const visit = (node: ts.Node, path: readonly string[]): void => {
    const name = nameOf(node);
    const names = name === undefined ? path : [...path, name];
    const docs = node.getChildren(source).filter(ts.isJSDoc);
    for (const { tagName, comment } of docs.flatMap(({ tags = [] }) => tags)) {
      if (tagName.text !== 'example') continue;
      blocks.push({ name: `${file}: ${names.join('.')}`, language: 'ts', code: ts.getTextOfJSDocComment(comment) ?? '' });
    }
    ts.forEachChild(node, (child) => visit(child, names));
  };
  visit(source, []);
  return numbered(blocks);
}

/** What the file exports, types left out. */
export function valuesExportedBy(file: string): DocumentedExport[] {
  const path = fileURLToPath(new URL(file, root));
  const program = ts.createProgram([path], {
    noLib: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.SourceFile) as ts.Symbol;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Value)
    .map((symbol) => ({
      name: symbol.name,
      isDocumented: symbol.getDocumentationComment(checker).length > 0,
      hasExample: symbol.getJsDocTags(checker).some(({ name }) => name === 'example'),
    }));
}

/** A file of this repository. */
export const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The TypeScript files under `src`, by their paths from the root. */
export const sourceFiles = (): string[] =>
  readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .sort();

/** The doc comment of a constant belongs to the statement, which has no name of its own. */
function nameOf(node: ts.Node): string | undefined {
  const named = ts.isVariableStatement(node) ? node.declarationList.declarations[0] : ts.isVariableDeclaration(node) ? undefined : node;
  return named && ts.getNameOfDeclaration(named as ts.Declaration)?.getText();
}

/** Tells blocks of the same name apart. */
function numbered(blocks: readonly CodeBlock[]): CodeBlock[] {
  const seen = new Map<string, number>();
  return blocks.map((block) => {
    const count = (seen.get(block.name) ?? 0) + 1;
    seen.set(block.name, count);
    return count === 1 ? block : { ...block, name: `${block.name} (${count})` };
  });
}
