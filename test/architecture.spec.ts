import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { columnsInConstantsAreTyped, entitiesAreAssignedTyped, rowTypesAreDerived } from './support/column-rules.js';
import {
  caseOfAddressesIsKept,
  decimalsAreInTheCatalogue,
  environmentIsReadOnce,
  evmKeysAreMadeInEvmCode,
  noFloatParsing,
  noForwardRef,
  noWeakRandomness,
} from './support/forbidden-words.js';
import { OWN_TRANSACTIONS, servicesJoinTransactions } from './support/own-transactions.js';
import {
  chainLibrariesStayInChains,
  domainIsPure,
  exportsAreImported,
  filesAreShort,
  httpStandsApart,
  importsHaveNoCycle,
  importsLeadDown,
  noBarrels,
  servicesAreProvided,
  type Source,
  type SourceRule,
} from './support/source-rules.js';

const root = new URL('..', import.meta.url);

const sources: Source[] = globSync('src/**/*.ts', { cwd: root }).map((path) => ({
  path: path.split(sep).join('/'),
  text: readFileSync(new URL(path, root), 'utf8'),
}));

const at = (path: string, text: string): Source => ({ path: `src/${path}`, text });

/** Each rule of the house, with sources that break it and what it then says. */
const RULES: readonly [rule: string, check: SourceRule, broken: readonly Source[], findings: readonly string[]][] = [
  [
    'imports lead down the floors',
    importsLeadDown,
    [
      at('domain/money.ts', `import { sql } from '../platform/database/database.js';`),
      at('http/pagination.ts', `\nimport type { Caller } from '../auth/caller.js';`),
      at('http/pages.controller.ts', `import { Public } from '../auth/scopes.js';`),
      at('auth/auth-http.module.ts', `import { Write } from '../idempotency/write-request.js';`),
      at('platform/leases.ts', `export { ChainSource } from '../chains/registry.js';`),
    ],
    [
      'src/domain/money.ts:1 must not import ../platform/database/database.js',
      'src/http/pagination.ts:2 must not import ../auth/caller.js',
      'src/http/pages.controller.ts:1 must not import ../auth/scopes.js',
      'src/auth/auth-http.module.ts:1 must not import ../idempotency/write-request.js',
      'src/platform/leases.ts:1 must not import ../chains/registry.js',
    ],
  ],
  [
    'features import along one line, and only entry points know the caller',
    importsLeadDown,
    [
      at('ledger/ledger.service.ts', `import { Deposit } from '../payments/deposits/deposit.entity.js';`),
      at('payments/intents/intents.service.ts', `import { CurrentCaller } from '../../auth/caller.js';`),
      at('payments/intents/intents.controller.ts', `import { CurrentCaller } from '../../auth/caller.js';`),
      at('payments/addresses/pool.ts', `const late = await import('../../sandbox/sandbox.service.js');`),
      at('payments/intents/settlement.ts', `import { SigningJobs } from '../../app/vault/signing.jobs.js';`),
      at('refunds/refunds.service.ts', ''),
      at('explain/verdict/wording.ts', `import { Database } from '../../platform/database/database.js';`),
    ],
    [
      'src/ledger/ledger.service.ts:1 must not import ../payments/deposits/deposit.entity.js',
      'src/payments/intents/intents.service.ts:1 must not import ../../auth/caller.js',
      'src/payments/addresses/pool.ts:1 must not import ../../sandbox/sandbox.service.js',
      'src/payments/intents/settlement.ts:1 must not import ../../app/vault/signing.jobs.js',
      'src/refunds/refunds.service.ts:1 its room is unknown: add it to the table of rooms',
      'src/explain/verdict/wording.ts:1 must not import ../../platform/database/database.js',
    ],
  ],
  [
    'the domain is pure',
    domainIsPure,
    [
      at('domain/clock.ts', `import { readFile } from 'node:fs/promises';\nimport { ulid } from 'ulid';`),
      at(
        'domain/quote.ts',
        `import { Injectable } from '@nestjs/common';\nimport { keccak_256 } from '@noble/hashes/sha3.js';`,
      ),
    ],
    [
      'src/domain/clock.ts:1 the domain must not import node:fs/promises',
      'src/domain/quote.ts:1 the domain must not import @nestjs/common',
    ],
  ],
  [
    'libraries that know a family of chains are used by its own folders, vault, devtools and demo alone',
    chainLibrariesStayInChains,
    [
      at('treasury/fees/gas.ts', `import { Transaction } from 'ethers/transaction';`),
      at(
        'auditor/keys.ts',
        `\nimport { HDKey } from '@scure/bip32';\nimport { secp256k1 } from '@noble/curves/secp256k1.js';`,
      ),
      at('vault/evm/sign.ts', `import { Signature } from 'ethers';`),
      at('chains/registry.ts', `import { createSolanaRpc } from '@solana/kit';`),
      at('chains/solana/reader.ts', `import { createSolanaRpc } from '@solana/kit';`),
      at('pricing/ethers-price.ts', `import { ethersPrice } from './ethers.js';`),
      at('treasury/fees/energy.ts', `import { createEVM } from '@ethereumjs/evm';`),
    ],
    [
      'src/treasury/fees/gas.ts:1 must not import ethers/transaction',
      'src/auditor/keys.ts:2 must not import @scure/bip32',
      'src/auditor/keys.ts:3 must not import @noble/curves/secp256k1.js',
      'src/chains/registry.ts:1 must not import @solana/kit',
      'src/treasury/fees/energy.ts:1 must not import @ethereumjs/evm',
    ],
  ],
  [
    'imports have no cycle',
    importsHaveNoCycle,
    [
      at('events/a.ts', `import { b } from './b.js';`),
      at('events/b.ts', `import type { C } from './deep/c.js';`),
      at('events/deep/c.ts', `import { a } from '../a.js';`),
    ],
    ['src/events/deep/c.ts:1 cycle: src/events/a.ts -> src/events/b.ts -> src/events/deep/c.ts -> src/events/a.ts'],
  ],
  [
    'modules of HTTP are imported by the application alone',
    httpStandsApart,
    [
      at('ledger/ledger.module.ts', `import { PocketsController } from './pockets.controller.js';`),
      at('ledger/ledger-http.module.ts', `import { PocketsController } from './pockets.controller.js';`),
      at('cli/commands/merchant.command.ts', `import { LedgerHttpModule } from '../../ledger/ledger-http.module.js';`),
      at('app.module.ts', `import { LedgerHttpModule } from './ledger/ledger-http.module.js';`),
    ],
    [
      'src/ledger/ledger.module.ts:1 must not import ./pockets.controller.js',
      'src/cli/commands/merchant.command.ts:1 must not import ../../ledger/ledger-http.module.js',
    ],
  ],
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
  [
    'the environment is read in one file',
    environmentIsReadOnce,
    [
      at('events/relay.ts', `// process.env is read elsewhere\nconst url = process.env['URL'];`),
      at('events/other.ts', `import { env } from 'node:process';`),
      at('platform/config.ts', 'process.env'),
    ],
    ['src/events/relay.ts:2 reads the environment', 'src/events/other.ts:1 reads the environment'],
  ],
  [
    'nothing is a forward reference',
    noForwardRef,
    [at('events/x.ts', 'forwardRef(() => Y)')],
    ['src/events/x.ts:1 uses forwardRef, which hides a cycle'],
  ],
  [
    'nothing is drawn from Math.random [L-159]',
    noWeakRandomness,
    [at('events/x.ts', 'const id = Math.random();')],
    ['src/events/x.ts:1 uses Math.random'],
  ],
  [
    'no number is parsed as a float',
    noFloatParsing,
    [at('events/x.ts', '\n\nNumber.parseFloat(amount)')],
    ['src/events/x.ts:3 parses a float'],
  ],
  [
    'the case of addresses is kept outside of EVM code',
    caseOfAddressesIsKept,
    [
      at('auditor/checks/x.sql.ts', 'sql`where lower(${pocket.tokenContract}) = ${token}`'),
      at('chains/transfer-presence.ts', '// to.toLowerCase()\nconst key = to.toLowerCase();'),
      at('chains/evm/x.ts', 'const key = to.toLowerCase();'),
      at('domain/evm-address.ts', 'text.toLowerCase()'),
    ],
    [
      'src/auditor/checks/x.sql.ts:1 folds the case of letters',
      'src/chains/transfer-presence.ts:2 folds the case of letters',
    ],
  ],
  [
    'keys of EVM addresses are made in EVM code',
    evmKeysAreMadeInEvmCode,
    [at('ledger/x.ts', 'const key = evmKey(contract);'), at('vault/evm/x.ts', 'const key = evmKey(contract);')],
    ['src/ledger/x.ts:1 makes the key of an EVM address'],
  ],
  [
    'entities are assigned to with types',
    entitiesAreAssignedTyped,
    [
      at('staff/x.ts', 'Object.assign(member, { passwordHash });\ntx.assign(member, values);\nassign(member, values);'),
      at('platform/sql/x.ts', 'Object.assign(made, names);'),
    ],
    [
      'src/staff/x.ts:1 assigns without types: use assign of platform/database',
      'src/staff/x.ts:2 assigns without types: use assign of platform/database',
    ],
  ],
  [
    'columns in constants have a type',
    columnsInConstantsAreTyped,
    [
      at(
        'staff/x.ts',
        [
          'const open = { id, usedAt: null };',
          'const times = { createdAt: now } satisfies EntityData<Link>;',
          'const found = await tx.findOne(Link, open, options);',
          'await em.insert(',
          '  Link,',
          '  { id, ...open, ...times },',
          ');',
          'const done = { usedAt: now };',
          'await this.database.em().nativeUpdate(Link, { id, open }, done);',
          'await tx.count(Link, { id });',
        ].join('\n'),
      ),
    ],
    [
      'src/staff/x.ts:3 takes columns of open, which no type checks: add satisfies',
      'src/staff/x.ts:4 takes columns of open, which no type checks: add satisfies',
      'src/staff/x.ts:9 takes columns of done, which no type checks: add satisfies',
    ],
  ],
  [
    'no row type is written by hand',
    rowTypesAreDerived,
    [
      at(
        'events/x.sql.ts',
        [
          'interface PlaceRow {}',
          "const walked = relation<PlaceRow>('walked');",
          "const page = relation<{ readonly id: string }>('page');",
          'type Find = (id: string) => Statement<{ readonly id: string }>;',
          "const list = sql`${as.json<readonly PlaceRow[] | null>()('list')}`;",
          "const kept = relation<Row<Event, 'id'>>('kept');",
          'const found = (of: Statement<RowOf<typeof kept>>) => of;',
        ].join('\n'),
      ),
    ],
    [
      'src/events/x.sql.ts:2 has a row type by hand: PlaceRow',
      'src/events/x.sql.ts:3 has a row type by hand: { readonly id: string }',
      'src/events/x.sql.ts:4 has a row type by hand: { readonly id: string }',
      'src/events/x.sql.ts:5 has a row type by hand: readonly PlaceRow[] | null',
    ],
  ],
  [
    'the decimals of coins are in the catalogue',
    decimalsAreInTheCatalogue,
    [
      at('domain/fee.ts', 'const COIN_DECIMALS = 9;\nconst units = fee / 10n ** 18n;\nconst decimals = coin.decimals;'),
      at('chains/networks.ts', 'const EVM_COIN_DECIMALS = 18;'),
    ],
    [
      'src/domain/fee.ts:1 has the decimals of a coin as a constant',
      'src/domain/fee.ts:2 has the decimals of a coin as a constant',
    ],
  ],
];

describe('the architecture', () => {
  it('is checked as a whole', () => {
    expect(sources.map((source) => source.path)).toEqual(
      expect.arrayContaining(['src/main.ts', 'src/domain/ids.ts', 'src/payments/intents/settlement.service.ts']),
    );
  });

  it('is used by the bench: every compiled file that it loads has a source', () => {
    const loaded = globSync('bench/**/*.ts', { cwd: root }).flatMap((path) =>
      [...readFileSync(new URL(path, root), 'utf8').matchAll(/\bplace\(\s*'([^']+)\.js'/g)].map(
        ([, name]) => `src/${name}.ts`,
      ),
    );
    expect(loaded.length).toBeGreaterThan(10);
    const paths = new Set(sources.map(({ path }) => path));
    expect(loaded.filter((path) => !paths.has(path))).toEqual([]);
  });

  it('lists no place with transactions of its own that opens none', () => {
    const opening = sources.filter(({ text }) => /\.transaction\(/.test(text)).map(({ path }) => path);
    expect(Object.keys(OWN_TRANSACTIONS).filter((place) => !opening.some((path) => path.startsWith(place)))).toEqual(
      [],
    );
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
