import { codeLines, isIn, isSpec, type SourceRule } from './source-rules.js';

/** Entry points: controllers, jobs, commands, and the start. */
const ENTRY_POINT = /\.controller\.ts$|^src\/(app|cli)\//;
const IS_JOB = /@(RecurringJob|JobHandler)\(/;
const OPENS = /\b(?:database|db)\.transaction\(/;

const PART_OF_A_JOB = 'part of a job or of a loop, which has no transaction around it';
const CHAIN_FIRST = 'nodes are asked outside of it';
const HASH_OUTSIDE = 'passwords are hashed outside of it';
/** The other files and folders that open transactions, and why. */
export const OWN_TRANSACTIONS: Readonly<Record<string, string>> = {
  'src/idempotency/idempotent-writes.ts': 'opens those of the API for the interceptor',
  'src/admin/export-record.ts': 'opens that of an export for its controller',
  'src/offers/chain-registration.service.ts': 'the start of a listener registers its chain',
  'src/sanctions/list-writer.ts': 'the start loads the first list',
  'src/treasury/database-identity-check.service.ts': 'the start of a vault',
  'src/auditor/snapshot.ts': 'an audit reads one snapshot on connections of its own',
  'src/staff/staff.guard.ts': 'a refusal is recorded although the request fails',
  'src/staff/sign-in-tries.service.ts': 'a try counts although the request fails',
  'src/staff/sign-in.service.ts': HASH_OUTSIDE,
  'src/staff/step-up.service.ts': HASH_OUTSIDE,
  'src/staff/passwords.service.ts': HASH_OUTSIDE,
  'src/staff/sandbox-staff.service.ts': HASH_OUTSIDE,
  'src/sandbox/controls/sandbox-controls.service.ts': CHAIN_FIRST,
  'src/treasury/stakes/stake-operations.service.ts': CHAIN_FIRST,
  'src/recovery': CHAIN_FIRST,
  'src/platform/sealing/sealed-chain.ts': PART_OF_A_JOB,
  'src/payments/listener': PART_OF_A_JOB,
  'src/payments/addresses': PART_OF_A_JOB,
  'src/webhooks/deliveries': PART_OF_A_JOB,
  'src/webhooks/recoveries/missing-deliveries.service.ts': PART_OF_A_JOB,
  'src/treasury/transactions': PART_OF_A_JOB,
  'src/treasury/expiring': PART_OF_A_JOB,
  'src/treasury/sweeps': PART_OF_A_JOB,
};

/** Entry points open transactions, and services join them. */
export const servicesJoinTransactions: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !ENTRY_POINT.test(source.path) && !IS_JOB.test(source.text))
    .filter(({ path }) => !Object.keys(OWN_TRANSACTIONS).some((place) => isIn(path, place)))
    .flatMap((source) =>
      [...codeLines(source)]
        .filter(([, code]) => OPENS.test(code))
        .map(([line]) => `${source.path}:${line} opens a transaction: join that of the caller`),
    );
