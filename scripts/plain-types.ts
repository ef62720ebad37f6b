import { join } from 'node:path';
import { Project, ts } from 'ts-morph';

const written =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals |
  ts.NodeBuilderFlags.UseSingleQuotesForStringLiteralType;

/**
 * The types that these declaration files export, each spelled out: what Zod infers without a word of Zod. Keeps their comments. An
 * aliased type is all that such a file may export as a type; values are left out.
 */
export function plainTypes(folder: string, names: readonly string[]): Map<string, string> {
  const project = new Project({
    compilerOptions: {
      module: ts.ModuleKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
    },
  });
  const files = names.map((name) => project.addSourceFileAtPath(join(folder, name)));
  const checker = project.getTypeChecker().compilerObject;
  const printer = ts.createPrinter();
  return new Map(
    files.map((file, at) => {
      const aliases = file.getTypeAliases().filter((alias) => alias.isExported());
      const lines = aliases.map((alias) => {
        const type = checker.typeToTypeNode(alias.getType().compilerType, undefined, written);
        if (!type) throw new Error(`${alias.getName()} cannot be written out`);
        const comments = alias.getJsDocs().map((comment) => `${comment.getText()}\n`);
        const text = printer.printNode(ts.EmitHint.Unspecified, type, file.compilerNode);
        return `${comments.join('')}export type ${alias.getName()} = ${text};\n`;
      });
      return [names[at] ?? '', lines.join('')];
    }),
  );
}
