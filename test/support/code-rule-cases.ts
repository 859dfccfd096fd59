import { columnsInConstantsAreTyped, entitiesAreAssignedTyped, rowTypesAreDerived } from './column-rules.js';
import {
  caseOfAddressesIsKept,
  decimalsAreInTheCatalogue,
  environmentIsReadOnce,
  evmKeysAreMadeInEvmCode,
  noFloatParsing,
  noForwardRef,
  noWeakRandomness,
} from './forbidden-words.js';
import { at, type RuleCase } from './rule-case.js';

/** The rules about single lines of code: its words, and the types of its columns. */
export const CODE_RULES: readonly RuleCase[] = [
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
