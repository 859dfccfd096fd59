import {
  chainLibrariesStayInChains,
  domainIsPure,
  httpStandsApart,
  importsHaveNoCycle,
  importsLeadDown,
} from './import-rules.js';
import { at, type RuleCase } from './rule-case.js';

/** The rules about what a source may import. */
export const IMPORT_RULES: readonly RuleCase[] = [
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
];
