import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

export interface FunctionSize {
  /** `path › name`. */
  readonly name: string;
  /** From the line on which its body begins to that on which it ends, nested functions included. */
  readonly lines: number;
}

/** Only parsing: neither libraries nor imports are read. */
const parseOnly = {
  noResolve: true,
  noLib: true,
  types: [],
  jsx: 'preserve',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  noEmit: true,
};

const functions: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
]);

const linesBetween = (text: string, from: number, to: number): number => text.slice(from, to).trim().split('\n').length;

/** The name of a function, or of what it is given to. */
const nameOf = (text: string, node: Node): string => {
  const declaration = node.kind === SyntaxKind.ArrowFunction || node.kind === SyntaxKind.FunctionExpression;
  const start = (declaration ? node.parent : node).getStart();
  return (
    /^(?:export |default |async |function\*? |const |let )*([\w$]+)/.exec(text.slice(start, start + 200))?.[1] ?? ''
  );
};

/** The sizes of all functions in these files, as the TypeScript parser sees them. */
export const readFunctionSizes = async (root: string, files: readonly string[]): Promise<FunctionSize[]> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'function-sizes-'));
  const config = path.join(folder, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: parseOnly, files: files.map((file) => path.join(root, file)) }),
  );
  const parser = new API({ cwd: root });
  try {
    const project = parser.updateSnapshot({ openProjects: [config] }).getProject(config);
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(path.join(root, file));
      if (source === undefined) throw new Error(`${file} was not parsed`);
      const { text } = source;
      const sizes: FunctionSize[] = [];
      const visit = (node: Node): void => {
        if (functions.has(node.kind) && 'body' in node && node.body !== undefined) {
          const { pos, end } = node.body as Node;
          sizes.push({ name: `${file} › ${nameOf(text, node)}`, lines: linesBetween(text, pos, end) });
        }
        node.forEachChild(visit);
      };
      visit(source);
      return sizes;
    });
  } finally {
    parser.close();
    await rm(folder, { recursive: true });
  }
};
