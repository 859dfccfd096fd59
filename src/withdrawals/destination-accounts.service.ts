import { Injectable } from '@nestjs/common';
import { addressFormOf } from '../domain/address-form.js';
import { addressFamilyOf } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import { Database } from '../platform/database/database.js';
import { TtlCache } from '../platform/ttl-cache.js';
import { withTimeout } from '../platform/with-timeout.js';
import { EXPIRING_FAMILIES } from '../treasury/expiring/expiring-families.js';
import { TreasuryChains } from '../treasury/treasury-chains.service.js';
import type { CreateWithdrawalBody } from './withdrawal.schema.js';
import { findOrderedPocket } from './withdrawals.sql.js';

/** A node that takes longer is not waited for: the dearer fee is quoted. */
const PATIENCE_MS = 500;
const CACHE_TTL_MS = 60_000;
const CACHED_MAX = 10_000;

/**
 * Asks one node whether a payment opens an account for its destination, which costs rent on solana, and an activation or more
 * energy on tron. It is the only question to a node within a request, and comes before the transaction.
 */
@Injectable()
export class DestinationAccounts {
  private readonly answers = new TtlCache<boolean>(CACHE_TTL_MS, CACHED_MAX, (key) => this.ask(key));

  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
  ) {}

  /** Returns whether the payment of an order opens an account; null when no node answers in time, or there is no pocket. */
  async opensAccount(
    tenant: Tenant,
    { pocket_id: pocketId, destination }: CreateWithdrawalBody,
  ): Promise<boolean | null> {
    const { family, key } = addressFormOf(destination);
    if (!EXPIRING_FAMILIES.some((known) => known === family)) return null;
    const [pocket] = await this.database.rows(findOrderedPocket(pocketId, tenant));
    if (pocket === undefined || addressFamilyOf(pocket.network) !== family) return null;
    return this.answerTo(JSON.stringify([pocket.environment, pocket.network, pocket.contract, key]));
  }

  private async answerTo(key: string): Promise<boolean | null> {
    const answer = this.answers.get(key).catch(() => null);
    return (await withTimeout(answer, PATIENCE_MS)) ? answer : null;
  }

  private async ask(key: string): Promise<boolean | null> {
    const [environment, network, token = '', owner = '']: readonly string[] = JSON.parse(key);
    const chains = await this.chains.expiring.active();
    const chain = chains.find(({ profile }) => profile.environment === environment && profile.network === network);
    if (chain === undefined) return null;
    return chain.nodes.attempt(({ client }) => client.needsAccount(owner, token));
  }
}
