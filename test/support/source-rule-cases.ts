import { exportsAreImported } from './export-rules.js';
import { servicesJoinTransactions } from './own-transactions.js';
import { at, type RuleCase } from './rule-case.js';
import { filesAreShort, noBarrels, presentersHaveFiles, servicesAreProvided } from './source-rules.js';

/** The rules about what a source is made of. */
export const SOURCE_RULES: readonly RuleCase[] = [
  [
    'services are not built by `new`',
    servicesAreProvided,
    [
      at(
        'ledger/sealer.service.ts',
        '@Injectable()\nexport class Sealer {}\n\nexport class SealError extends Error {}',
      ),
      at('cli/commands/seal.command.ts', 'const error = new SealError();\nconst sealer = new Sealer(database);'),
      at('ledger/sealer.service.spec.ts', 'const sealer = new Sealer(database);'),
      at('auditor/snapshot.ts', 'const sealer = new Sealer(database);'),
    ],
    ['src/cli/commands/seal.command.ts:2 builds Sealer itself'],
  ],
  [
    'entry points open transactions, and services join them',
    servicesJoinTransactions,
    [
      at('staff/team.service.ts', '// this.database.transaction(work)\nawait this.database.transaction(work);'),
      at('staff/sign-in.service.ts', 'await this.database.transaction(work);'),
      at('admin/team/team.controller.ts', 'await this.database.transaction(work);'),
      at('cli/commands/staff.command.ts', 'await database.transaction(work);'),
      at('staff/staff-pruning.service.ts', '@RecurringJob({ every: 1 })\nawait this.database.transaction(work);'),
    ],
    ['src/staff/team.service.ts:2 opens a transaction: join that of the caller'],
  ],
  [
    'controllers hold no presenters',
    presentersHaveFiles,
    [
      at('admin/books/books.controller.ts', 'class Books {}\n\nfunction presentBooks() {}\nconst present = () => 1;'),
      at('admin/team/team.controller.ts', '// function presentMember\n  return presentMember(member);'),
      at('admin/team/team.presenter.ts', 'export function presentMember() {}'),
    ],
    [
      'src/admin/books/books.controller.ts:3 holds presentBooks, which belongs into a presenter',
      'src/admin/books/books.controller.ts:4 holds present, which belongs into a presenter',
    ],
  ],
  ['there are no barrels', noBarrels, [at('events/index.ts', '')], ['src/events/index.ts:1 is a barrel']],
  [
    'no file has more than 300 lines',
    filesAreShort,
    [at('events/long.ts', 'x;\n'.repeat(301)), at('events/full.ts', 'x;\n'.repeat(300))],
    ['src/events/long.ts:301 has 301 lines, 300 are allowed'],
  ],
  [
    'what is exported is imported by another source, and not by specs alone',
    exportsAreImported,
    [
      at('events/a.ts', `import { used } from './b.js';\nexport const A_STATEMENT = '';\nexport type Shape = string;`),
      at('events/b.ts', `export const used = 1;\nexport async function tested() {}\nexport class Alone {}`),
      at('events/b.spec.ts', `import { tested } from './b.js';`),
      at('events/c.ts', `const late = await import('./d.js');\nexport {\n  one as two,\n} from './e.js';`),
      at('events/d.ts', 'export const command = 1;'),
      at('events/e.ts', 'export const one = 1;\nexport const two = 2;'),
    ],
    [
      'src/events/b.ts:2 exports tested, which no other source imports',
      'src/events/b.ts:3 exports Alone, which no other source imports',
      'src/events/e.ts:2 exports two, which no other source imports',
    ],
  ],
];
