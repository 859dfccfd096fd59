import ts from 'typescript';

const TESTS = new Set(['it', 'test']);

/** The titles of the tests in the text of a spec, as they are written: `it.each` keeps its placeholders. Skipped ones are none. */
export function testTitlesIn(text: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.add(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('spec.ts', text, ts.ScriptTarget.Latest));
  return titles;
}

/** Whether a call is one of `it`, `it.each(rows)` and the like. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return TESTS.has(callee.text);
  if (ts.isCallExpression(callee)) return isTest(callee.expression);
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 'each' && isTest(callee.expression);
}
