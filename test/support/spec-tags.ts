import ts from 'typescript';
import type { SpecRow } from '../spec-rows.js';

/** A spec file of the project. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}

/** What the tags of all specs say about the rows of the specification. */
export interface SpecCoverage {
  /** Rows that must have a test and have none. */
  readonly uncovered: readonly SpecRow[];
  /** Those among them that only specs inside the process name. */
  readonly insideOnly: ReadonlySet<SpecRow>;
  /** Tags that name no row, as `path: tag`. */
  readonly unknown: readonly string[];
}

const TAG = /\[spec ([\d.]+)(?: ([^\]]+))?\]/g;

/** Every text a file writes in quotes: titles, and the tables titles are made of. Comments do not count. */
function textsOf({ path, text }: SpecFile): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return texts;
}

/** The rows that a file's tags name, as `section name`. */
export function rowsNamedIn(file: SpecFile): string[] {
  return textsOf(file).flatMap((text) =>
    [...text.matchAll(TAG)].flatMap(([, section, names]) =>
      names === undefined ? [] : names.split(',').map((name) => `${section} ${name.trim()}`),
    ),
  );
}

const idOf = (row: SpecRow): string => `${row.section} ${row.name}`;

/** Compares the rows with the tags of the files. */
export function coverageOf(rows: readonly SpecRow[], files: readonly SpecFile[]): SpecCoverage {
  const known = new Set(rows.map(idOf));
  const overHttp = new Set<string>();
  const anywhere = new Set<string>();
  const unknown: string[] = [];
  for (const file of files) {
    for (const id of rowsNamedIn(file)) {
      if (!known.has(id)) unknown.push(`${file.path}: [spec ${id}]`);
      anywhere.add(id);
      if (file.path.endsWith('.e2e-spec.ts')) overHttp.add(id);
    }
  }
  const uncovered = rows.filter((row) => !(row.inside ? anywhere : overHttp).has(idOf(row)));
  return { uncovered, insideOnly: new Set(uncovered.filter((row) => anywhere.has(idOf(row)))), unknown };
}
