import ts from 'typescript';
import type { SpecRow } from '../spec-rows.js';

/** A spec file of the project. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}

/** The coverage of the rows of the specification by the tags of all specs. */
export interface SpecCoverage {
  /** Rows that need a test and have none. */
  readonly uncovered: readonly SpecRow[];
  /** Those of them that only specs inside the process name. */
  readonly insideOnly: ReadonlySet<SpecRow>;
  /** Tags that name no row, as `path: tag`. */
  readonly unknown: readonly string[];
}

const TAG = /\[spec ([\d.]+)(?: ([^\]]+))?\]/g;

/** Every quoted text of a file: titles, and the tables of titles. Comments do not count. */
export function quotedTextsOf({ path, text }: SpecFile): string[] {
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

/** The rows named by the tags of a file, as `section name`. */
export function rowsNamedIn(file: SpecFile): string[] {
  return quotedTextsOf(file).flatMap((text) =>
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
