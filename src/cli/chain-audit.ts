import type { AuditedChain } from '../auditor/audited-chain.js';
import type { CheckedRule } from '../auditor/books-verification.js';
import { type CheckedChain, checkChain } from '../auditor/checks/chain-checks.js';
import { ChainUnavailable } from '../chains/chain.js';
import type { Database } from '../platform/database/database.js';
import type { TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';

/** What comparing the books with the chains came to. */
export interface ChainAudit {
  readonly rules: readonly CheckedRule[];
  /** Chains that could not tell, or not of everything, each with why. */
  readonly unasked: readonly string[];
}

/** Compares the books with every chain that is in use: on connections without time limits. */
export async function auditChains(
  database: Database,
  chains: TreasuryChains,
  onChecked: (rule: CheckedRule) => void,
): Promise<ChainAudit> {
  const rules: CheckedRule[] = [];
  const unasked: string[] = [];
  const reachable = await chains.active();
  for (const place of await withoutNode(database, reachable))
    unasked.push(`${place}: no node of it is configured here.`);
  for (const chain of reachable) {
    const { environment, network } = chain.profile;
    try {
      const checked = await auditChain(database, chain);
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

async function withoutNode(database: Database, reachable: readonly TreasuryChain[]): Promise<string[]> {
  const rows = await database.query<{ place: string }>(
    `select environment || '/' || network as place from chain where active and not id = any($1) order by place`,
    [reachable.map(({ chainRef }) => chainRef)],
  );
  return rows.map(({ place }) => place);
}

/**
 * Compares the books with one chain, up to the newest block that the listener holds for final.
 * @throws ChainUnavailable when nothing of it was read yet, or its nodes cannot tell
 */
export async function auditChain(
  database: Database,
  { chainRef, profile, nodes }: TreasuryChain,
): Promise<CheckedChain> {
  const [row] = await database.query<{ finalized_height: string; tokens: readonly string[] }>(
    `select finalized_height, array(select contract from chain_token
                                     where chain_ref = $1 and enabled and contract <> 'native') as tokens
       from chain_cursor where chain_ref = $1`,
    [chainRef],
  );
  if (row === undefined) throw new ChainUnavailable('Nothing of it was read yet.');
  const { environment, network } = profile;
  return nodes.attempt(async ({ client }) => {
    const final = await client.headerAt(Number(row.finalized_height));
    if (final === null) throw new ChainUnavailable(`The node does not hold block ${row.finalized_height}.`);
    const chain: AuditedChain = { chainRef, environment, network, tokens: row.tokens, client, final };
    return checkChain(database, chain);
  });
}
