import { posix } from 'node:path';
import { isSpec, type Source, type SourceRule } from './source-rules.js';

/** Values that only tests import, with the reason for their export. */
const EXPORTED_FOR_TESTS: Readonly<Record<string, string>> = {
  'src/platform/config.ts parseConfig': 'a process has one environment; tests need others',
  'src/domain/audited-action.ts AUDITED_ACTIONS': 'its spec reads every action in words',
  'src/platform/config.ts CONFIG_VARIABLES': 'compared with the tables of settings in the documents',
  'src/platform/config.ts PRICE_SOURCE_NAMES': 'compared with docs/prices.md',
  'src/docs-pages/docs-pages.controller.ts DOCS_PAGES': 'compared with the documents and their links',
  'src/auditor/books-verification.ts checkRules': 'worlds are audited in the transaction of the test',
  'src/cli/chain-audit.ts auditChain': 'worlds are audited through the nodes of the test',
  'src/cli/chain-audit.ts auditAccountChain': 'worlds are audited through the nodes of the test',
  'src/cli/chain-audit.ts auditBlockChain': 'worlds are audited through the nodes of the test',
};
/** Specs read the plans of these statements. */
const STATEMENT = /_STATEMENT$/;

function* exportedValues({ text }: Source): Generator<[line: number, name: string]> {
  for (const [i, code] of text.split('\n').entries()) {
    const [, name] = /^export (?:abstract |async )?(?:class|function\*?|const|let) (\w+)/.exec(code) ?? [];
    if (name !== undefined) yield [i + 1, name];
  }
}

/** `path name` of everything that a source imports by name; `path *` when it imports the whole module. */
function importedNames({ path, text }: Source): string[] {
  const at = (specifier: string): string => posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
  const whole = [...text.matchAll(/(?:\bimport\(\s*|\* as \w+ from )'([^']+)'/g)];
  const listed = [...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm)];
  return [
    ...whole.map(([, specifier = '']) => `${at(specifier)} *`),
    ...listed.flatMap(([, names = '', specifier = '']) =>
      names.split(',').map(
        (name) =>
          `${at(specifier)} ${
            name
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0]
          }`,
      ),
    ),
  ];
}

/** Another source imports each exported value. Types may be exported, because they describe such values. */
export const exportsAreImported: SourceRule = (sources) => {
  const ours = sources.filter((source) => !isSpec(source));
  const imported = new Set(ours.flatMap(importedNames));
  return ours.flatMap((source) =>
    [...exportedValues(source)]
      .filter(([, name]) => !STATEMENT.test(name) && EXPORTED_FOR_TESTS[`${source.path} ${name}`] === undefined)
      .filter(([, name]) => !imported.has(`${source.path} ${name}`) && !imported.has(`${source.path} *`))
      .map(([line, name]) => `${source.path}:${line} exports ${name}, which no other source imports`),
  );
};
