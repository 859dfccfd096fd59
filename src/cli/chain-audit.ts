import type { AuditedChain } from '../auditor/audited-chain.js';
import type { CheckedRule } from '../auditor/books-verification.js';
import { checkChain } from '../auditor/checks/chain-checks.js';
import type { CheckedChain } from '../auditor/checks/chain-rules.js';
import type { AuditedExpiringChain } from '../auditor/checks/accounts/audited-account-chain.js';
import { checkAccountChain } from '../auditor/checks/accounts/account-chain-checks.js';
import { checkBlockChain } from '../auditor/checks/blocks/block-chain-checks.js';
import { ChainUnavailable } from '../chains/chain.js';
import type { Database } from '../platform/database/database.js';
import type {
  ReadAccountChain,
  ReadBlockChain,
  TreasuryChain,
  TreasuryChains,
} from '../treasury/treasury-chains.service.js';
import { findFinal, otherChains } from './chain-audit.sql.js';

/** The result of comparing the books with the chains. */
export interface ChainAudit {
  readonly rules: readonly CheckedRule[];
  /** Chains that could not be asked, or not about everything, each with the reason. */
  readonly unasked: readonly string[];
}

/** Compares the books with every chain in use, on connections without time limits. */
export async function auditChains(
  database: Database,
  chains: TreasuryChains,
  onChecked: (rule: CheckedRule) => void,
): Promise<ChainAudit> {
  const rules: CheckedRule[] = [];
  const unasked: string[] = [];
  const reachable = [
    ...(await chains.active()).map((chain) => ({ ...chain, check: () => auditChain(database, chain) })),
    ...(await chains.accounts.active()).map((chain) => ({ ...chain, check: () => auditAccountChain(database, chain) })),
    ...(await chains.blocks.active()).map((chain) => ({ ...chain, check: () => auditBlockChain(database, chain) })),
  ];
  for (const place of await withoutNode(database, reachable))
    unasked.push(`${place}: no node is configured for this command.`);
  for (const chain of reachable) {
    const { environment, network } = chain.profile;
    try {
      const checked = await chain.check();
      checked.rules.forEach(onChecked);
      rules.push(...checked.rules);
      unasked.push(...checked.unasked);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      unasked.push(`${environment}/${network}: ${error.message}`);
    }
  }
  return { rules, unasked };
}

async function withoutNode(
  database: Database,
  reachable: readonly Pick<TreasuryChain, 'chainRef'>[],
): Promise<string[]> {
  const chains = await database.rows(otherChains(reachable.map(({ chainRef }) => chainRef)));
  return chains.map(({ place }) => place);
}

/**
 * Compares the books with one chain, up to the newest block that is final for the listener.
 * @throws ChainUnavailable when the listener has read no block yet, or its nodes do not answer
 */
export async function auditChain(
  database: Database,
  { chainRef, profile, nodes }: TreasuryChain,
): Promise<CheckedChain> {
  const [row] = await database.rows(findFinal(chainRef));
  if (row === undefined) throw new ChainUnavailable('The listener has read no block of it yet.');
  const { environment, network } = profile;
  return nodes.attempt(async ({ client }) => {
    const final = await client.headerAt(Number(row.finalizedHeight));
    if (final === null) throw new ChainUnavailable(`The node does not have block ${row.finalizedHeight}.`);
    const chain: AuditedChain = { chainRef, environment, network, tokens: row.tokens, client, final };
    return checkChain(database, chain);
  });
}

/**
 * Compares the books with a chain that is read by accounts.
 * @throws ChainUnavailable as `auditChain`
 */
export async function auditAccountChain(
  database: Database,
  { nodes, ...chain }: ReadAccountChain,
): Promise<CheckedChain> {
  const terms = await termsOf(database, chain);
  return nodes.attempt(({ client }) => checkAccountChain(database, { ...terms, client }));
}

/**
 * Compares the books with a chain that is read by blocks and whose transactions expire.
 * @throws ChainUnavailable as `auditChain`
 */
export async function auditBlockChain(database: Database, { nodes, ...chain }: ReadBlockChain): Promise<CheckedChain> {
  const terms = await termsOf(database, chain);
  return nodes.attempt(({ client }) => checkBlockChain(database, { ...terms, client }));
}

async function termsOf(
  database: Database,
  { chainRef, profile: { environment, network } }: Pick<ReadBlockChain, 'chainRef' | 'profile'>,
): Promise<Omit<AuditedExpiringChain, 'client'>> {
  const [row] = await database.rows(findFinal(chainRef));
  if (row === undefined) throw new ChainUnavailable('The listener has read no block of it yet.');
  return { chainRef, environment, network, tokens: row.tokens, finalHeight: Number(row.finalizedHeight) };
}
