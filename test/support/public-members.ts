import { Project, ts } from 'ts-morph';

/** An export of a declaration file, or a member of one, by its path such as `Run.save`. */
export interface PublicMember {
  readonly path: string;
  /** The docstring as an editor shows it; empty if there is none. */
  readonly documentation: string;
}

// One project is used for all calls, since reading the libraries of TypeScript takes most of the time.
const project = new Project({
  compilerOptions: { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true },
});

/**
 * Returns everything that the given declaration files export, with all public members, as TypeScript's checker sees it.
 */
export function publicMembers(files: readonly string[]): PublicMember[] {
  return files.flatMap((file) => {
    const { checker, exports } = openEntry(file);
    return exports.flatMap(({ symbol, name }) => membersOf(checker, symbol, name));
  });
}

/**
 * Returns the types that exports of the given declaration files mention, but that none of these files exports. Types
 * that are not exported in their own file either are left out. A result looks like `Run → Emit`.
 */
export function hiddenTypes(files: readonly string[]): string[] {
  for (const file of files) project.addSourceFileAtPath(file); // adding a file later would give all types new symbols
  const checker = project.getTypeChecker().compilerObject;
  const exports = files.flatMap((file) => openEntry(file).exports);
  const exported = new Set(exports.map(({ symbol }) => symbol));
  const hidden = exports.flatMap(({ symbol, name }) =>
    (symbol.declarations ?? []).flatMap((declaration) =>
      mentioned(checker, declaration)
        .filter((each) => !exported.has(each) && !isForeign(each) && isExported(each))
        .map((each) => `${name} → ${each.name}`),
    ),
  );
  return [...new Set(hidden)];
}

/** Returns the types that an editor shows for variables of a program, by their names. */
export function typesShown(file: string, text: string, names: readonly string[]): Record<string, string> {
  const source = project.createSourceFile(file, text, { overwrite: true });
  return Object.fromEntries(
    source
      .getDescendantsOfKind(ts.SyntaxKind.Identifier)
      .filter((each) => names.includes(each.getText()))
      .map((each) => [
        each.getText(),
        each.getType().getText(each, ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope),
      ]),
  );
}

function openEntry(file: string) {
  const source = project.addSourceFileAtPath(file).compilerNode;
  const checker = project.getTypeChecker().compilerObject;
  const module = checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} exports nothing.`);
  const exports = checker.getExportsOfModule(module).map((each) => ({
    name: each.name,
    symbol: each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each,
  }));
  return { checker, exports };
}

/** Returns the named types below a declaration, without its own type parameters and private members. */
function mentioned(checker: ts.TypeChecker, node: ts.Node): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  node.forEachChild((child) => {
    if (isPrivate(child)) return;
    if (ts.isTypeReferenceNode(child)) {
      const symbol = checker.getSymbolAtLocation(child.typeName);
      const target =
        symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if (target && !(target.flags & ts.SymbolFlags.TypeParameter)) found.push(target);
    }
    found.push(...mentioned(checker, child));
  });
  return found;
}

const isExported = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((each) => (ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Export) !== 0);

const isForeign = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((each) => /\/node_modules\/|\/lib\.[^/]*\.d\.ts$/.test(each.getSourceFile().fileName));

function membersOf(checker: ts.TypeChecker, symbol: ts.Symbol, path: string): PublicMember[] {
  const documentation = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const own = (symbol.declarations ?? []).flatMap((declaration) => nested(checker, declaration, path));
  return [{ path, documentation }, ...own, ...inferred(checker, symbol, path)];
}

/** Returns the members of a declaration and of the types written inside it. */
function nested(checker: ts.TypeChecker, node: ts.Node, path: string): PublicMember[] {
  const found: PublicMember[] = [];
  node.forEachChild((child) => {
    if (isPrivate(child)) return;
    if (!isMember(child)) return void found.push(...nested(checker, child, path));
    const symbol = child.name && checker.getSymbolAtLocation(child.name);
    const name = `${path}.${child.name?.getText() ?? ts.SyntaxKind[child.kind]}`;
    const documentation = symbol
      ? ts.displayPartsToString(symbol.getDocumentationComment(checker))
      : ts
          .getJSDocCommentsAndTags(child)
          .map((each) => each.getText())
          .join('\n');
    found.push({ path: name, documentation }, ...nested(checker, child, name));
  });
  return found;
}

/** Returns the members of a type that is computed, such as one that Zod infers. */
function inferred(checker: ts.TypeChecker, symbol: ts.Symbol, path: string): PublicMember[] {
  const [declaration] = symbol.declarations ?? [];
  if (!declaration || !ts.isTypeAliasDeclaration(declaration)) return [];
  const type = checker.getTypeAtLocation(declaration);
  const members = type.isUnion() ? type.types.flatMap((each) => each.getProperties()) : type.getProperties();
  return members
    .filter((each) =>
      each.declarations?.some((at) => !at.getSourceFile().fileName.includes('/node_modules/')),
    )
    .map((each) => ({
      path: `${path}.${each.name}`,
      documentation: ts.displayPartsToString(each.getDocumentationComment(checker)),
    }));
}

type Member = ts.ClassElement | ts.TypeElement | ts.EnumMember;

const isMember = (node: ts.Node): node is Member =>
  ts.isClassElement(node) || ts.isTypeElement(node) || ts.isEnumMember(node);

const isPrivate = (node: ts.Node): boolean =>
  isMember(node) &&
  ((node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
    (ts.canHaveModifiers(node) &&
      (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)));
