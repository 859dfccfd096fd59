import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { importsHaveNoCycle } from '../support/import-rules.js';
import { codeLines, filesAreShort, noBarrels, type Source, type SourceRule } from '../support/source-rules.js';

const root = new URL('../..', import.meta.url);
const sources: Source[] = globSync('admin-ui/src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path !== 'admin-ui/src/api/schema.d.ts')
  .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

const at = (path: string, text: string): Source => ({ path: `admin-ui/src/${path}`, text });

/** Lines that match, outside of the files that may. */
const without =
  (pattern: RegExp, what: string, allowed: RegExp): SourceRule =>
  (files) =>
    files
      .filter(({ path }) => !allowed.test(path))
      .flatMap((file) =>
        [...codeLines(file)].filter(([, code]) => pattern.test(code)).map(([line]) => `${file.path}:${line} ${what}`),
      );

const oneWayToTheService = without(
  /\bfetch\(|\bXMLHttpRequest\b|\bEventSource\b/,
  'asks the service past the client',
  /\/api\//,
);
const textStaysText = without(/dangerouslySetInnerHTML|\binnerHTML\b|\beval\(/, 'makes code of text', /^$/);
const stylesAreFiles = without(/<style\b|\bcssText\b/, 'writes styles into the page', /^$/);
const mantineIsBelow = without(
  /@mantine\/\S+(?<!\.layer)\.css'/,
  'loads styles of Mantine outside of their layer, where the order of files decides',
  /^$/,
);

const RULES: readonly [rule: string, check: SourceRule, broken: readonly Source[], findings: readonly string[]][] = [
  [
    'no file has more than 300 lines',
    filesAreShort,
    [at('ui/long.tsx', 'x;\n'.repeat(301))],
    ['admin-ui/src/ui/long.tsx:301 has 301 lines, 300 are allowed'],
  ],
  ['there are no barrels', noBarrels, [at('ui/index.ts', '')], ['admin-ui/src/ui/index.ts:1 is a barrel']],
  [
    'imports have no cycle',
    importsHaveNoCycle,
    [at('ui/a.tsx', `import { b } from './b.tsx';`), at('ui/b.tsx', `import { a } from './a.tsx';`)],
    ['admin-ui/src/ui/b.tsx:1 cycle: admin-ui/src/ui/a.tsx -> admin-ui/src/ui/b.tsx -> admin-ui/src/ui/a.tsx'],
  ],
  [
    'the service is asked through the client alone',
    oneWayToTheService,
    [at('features/x.tsx', `fetch('/admin/api/session')`), at('api/client.ts', 'fetch(request)')],
    ['admin-ui/src/features/x.tsx:1 asks the service past the client'],
  ],
  [
    "the console's styles win over Mantine's, whichever file is loaded first",
    mantineIsBelow,
    [
      at('ui/x.tsx', `import '@mantine/core/styles/List.css';`),
      at('ui/y.tsx', `import '@mantine/core/styles/List.layer.css';`),
    ],
    ['admin-ui/src/ui/x.tsx:1 loads styles of Mantine outside of their layer, where the order of files decides'],
  ],
  [
    'text of others never becomes markup or code',
    textStaysText,
    [at('ui/x.tsx', '\n<div dangerouslySetInnerHTML={{ __html: text }} />')],
    ['admin-ui/src/ui/x.tsx:2 makes code of text'],
  ],
  [
    'styles are files',
    stylesAreFiles,
    [at('ui/x.tsx', '<style>{css}</style>')],
    ['admin-ui/src/ui/x.tsx:1 writes styles into the page'],
  ],
];

describe('the sources of the console', () => {
  it('are checked as a whole', () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  describe.each(RULES)('%s', (_rule, check, broken, findings) => {
    it('holds', () => {
      expect(check(sources)).toEqual([]);
    });

    it('is noticed when it is broken, with file and line', () => {
      expect(check(broken)).toEqual(findings);
    });
  });
});
