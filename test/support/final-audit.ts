import { type CheckedRule, checkRules } from '../../src/auditor/books-verification.js';
import { onOwnConnections } from '../../src/auditor/snapshot.js';
import { ChainUnavailable } from '../../src/chains/chain.js';
import { auditAccountChain, auditBlockChain, auditChain } from '../../src/cli/chain-audit.js';
import { commandChains } from '../../src/cli/chain-sources.js';
import { parseConfig } from '../../src/platform/config.js';
import { type Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { query } from './sql.js';

/** The scope of an audit. */
export interface FinalAudit {
  readonly databaseUrl: string;
  /** The ledger is compared with these chains, if they answer. */
  readonly chains?: TreasuryChains;
  /** Names of rules that the spec breaks by rows it has inserted itself. All others are audited. */
  readonly forged?: readonly string[];
}

/**
 * Asserts the rules of `npx coffer verify` at the end of a spec: every rule of the ledger at one moment, whatever is in
 * flight, and every rule that compares it with a chain.
 * @throws Error that names the first row that breaks one
 */
export function auditBooks({ databaseUrl, chains, forged = [] }: FinalAudit): Promise<void> {
  return onOwnConnections(databaseUrl, async (database) => {
    await audit(database, chains === undefined ? [] : await auditsOf(database, chains), forged);
  });
}

/** The same for processes, running or ended, with the nodes of their settings or their sandbox file. */
export function auditBooksOf(env: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }): Promise<void> {
  const config = parseConfig({ NODE_ENV: 'test', ROLES: 'listener', ...env });
  return onOwnConnections(env.DATABASE_URL, async (database) => {
    const reached = new TreasuryChains(database, { chains: await commandChains(config) }, createLogger('silent'));
    try {
      await audit(database, await auditsOf(database, reached), []);
    } finally {
      await reached.beforeApplicationShutdown();
    }
  });
}

/** Compares the books with one chain. */
type ChainAudit = () => ReturnType<typeof auditChain>;

/** The comparisons with each chain that is reached. */
async function auditsOf(database: Database, reached: TreasuryChains): Promise<readonly ChainAudit[]> {
  return [
    ...(await reached.active()).map((chain) => () => auditChain(database, chain)),
    ...(await reached.accounts.active()).map((chain) => () => auditAccountChain(database, chain)),
    ...(await reached.blocks.active()).map((chain) => () => auditBlockChain(database, chain)),
  ];
}

async function audit(database: Database, chains: readonly ChainAudit[], forged: readonly string[]): Promise<void> {
  const { rules } = await database.transaction(async (tx) => {
    await query(tx, `set transaction isolation level repeatable read, read only`);
    return checkRules(tx);
  });
  expectHonest(rules, forged);
  for (const chain of chains) expectHonest(await rulesOf(chain), forged);
}

/** The rules of a chain; none while its node does not answer. */
async function rulesOf(auditOf: ChainAudit): Promise<readonly CheckedRule[]> {
  try {
    return (await auditOf()).rules;
  } catch (error) {
    if (error instanceof ChainUnavailable) return [];
    throw error;
  }
}

function expectHonest(rules: readonly CheckedRule[], forged: readonly string[]): void {
  for (const { name, rule, finding } of rules) {
    if (finding === null || forged.includes(name)) continue;
    throw new Error(`This spec leaves an invalid ledger. ${name}: ${finding.row} ${finding.says}. (${rule})`);
  }
}
