import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { newId } from '../../domain/ids.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import {
  DEPLOYMENT_PROXY,
  deploymentState,
  type SweepContract as ContractPlan,
  type SweepContracts,
  sweepContracts,
} from '../../chains/evm/sweep-contracts.js';
import type { TreasuryChain } from '../treasury-chains.service.js';
import { type ContractTrouble, CONTRACT_TROUBLES } from './sweep-contract.entity.js';

/** One of the two contracts, with the code at its address at a final block. */
interface Found {
  readonly kind: 'delegate' | 'batch';
  readonly plan: ContractPlan;
  readonly code: string;
}

/** The state at a final block. */
interface FinalState {
  readonly height: number;
  readonly hasProxy: boolean;
  readonly found: readonly Found[];
}

/** Checks whether a chain has the contracts that sweep to its hot wallet, and requests their deployment if not. */
@Injectable()
export class SweepContractsOnChain {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns the contracts of a chain; null while they do not exist at a final block. Then a row asks the vault to sign
   * the deployment, or names the trouble that needs an operator.
   */
  async ready(chain: TreasuryChain): Promise<SweepContracts | null> {
    const { chainRef } = chain;
    const [wallet] = await this.database.query<{ address_key: string; known: string[] }>(
      `select address_key, array(select address from sweep_contract where chain_ref = $1 and ready_at is not null) as known
         from hot_wallet where chain_ref = $1`,
      [chainRef],
    );
    if (wallet === undefined) return null;
    const contracts = sweepContracts(wallet.address_key);
    const { delegate, batch } = contracts;
    if ([delegate, batch].every(({ address }) => wallet.known.includes(address))) return contracts;
    const final = await this.atFinalBlock(chain, contracts);
    if (final === null) return null;
    const states = await this.database.transaction(async (tx) => {
      const written: boolean[] = [];
      for (const contract of final.found) written.push(await this.write(tx, chainRef, contract, final));
      return written;
    });
    return states.every(Boolean) ? contracts : null;
  }

  private async atFinalBlock(
    { chainRef, nodes }: TreasuryChain,
    { delegate, batch }: SweepContracts,
  ): Promise<FinalState | null> {
    const [final] = await this.database.query<{ height: string; hash: string }>(
      `select block.height, block.hash from chain_cursor cursor
         join chain_block block on block.chain_ref = cursor.chain_ref and block.height = cursor.finalized_height
        where cursor.chain_ref = $1`,
      [chainRef],
    );
    if (final === undefined) return null;
    const addresses = [DEPLOYMENT_PROXY, delegate.address, batch.address];
    const codes = await nodes.attempt(({ client }) => client.outgoing.codesAt(final, addresses));
    const [proxyCode = '0x', delegateCode = '0x', batchCode = '0x'] = codes;
    return {
      height: Number(final.height),
      hasProxy: proxyCode !== '0x',
      found: [
        { kind: 'delegate', plan: delegate, code: delegateCode },
        { kind: 'batch', plan: batch, code: batchCode },
      ],
    };
  }

  /** Records the state of a contract; returns whether it is deployed. */
  private async write(tx: Tx, chainRef: string, { kind, plan, code }: Found, final: FinalState): Promise<boolean> {
    const state = deploymentState(plan, code);
    await sql(
      tx,
      `insert into sweep_contract (id, chain_ref, kind, address) values ($1, $2, $3, $4)
       on conflict (chain_ref, address) where abandoned_at is null do nothing`,
      [newId('swc_'), chainRef, kind, plan.address],
    );
    if (state === 'deployed') {
      await sql(
        tx,
        `update sweep_contract set ready_at = now(), trouble = null, waiting_reason = null
          where chain_ref = $1 and address = $2 and ready_at is null and abandoned_at is null`,
        [chainRef, plan.address],
      );
      return true;
    }
    await this.writeTrouble(tx, chainRef, plan.address, await this.troubleOf(tx, chainRef, plan.address, state, final));
    return false;
  }

  private async troubleOf(
    tx: Tx,
    chainRef: string,
    address: string,
    state: 'absent' | 'foreign',
    { height, hasProxy }: FinalState,
  ): Promise<ContractTrouble | null> {
    if (state === 'foreign') return 'foreign_code';
    if (!hasProxy) return 'no_deployment_proxy';
    const tried = await sql(
      tx,
      `select from sweep_contract contract
         join chain_transaction on purpose = 'contract' and purpose_id = contract.id and mined_height <= $3
        where contract.chain_ref = $1 and contract.address = $2 and contract.abandoned_at is null`,
      [chainRef, address, height],
    );
    return tried.length > 0 ? 'deployment_failed' : null;
  }

  private async writeTrouble(
    tx: Tx,
    chainRef: string,
    address: string,
    trouble: ContractTrouble | null,
  ): Promise<void> {
    const changed = await sql(
      tx,
      `update sweep_contract set trouble = $3
        where chain_ref = $1 and address = $2 and ready_at is null and abandoned_at is null and trouble is distinct from $3 returning id`,
      [chainRef, address, trouble],
    );
    if (changed.length === 0 || trouble === null) return;
    this.logger.error({ chainRef, address, reason: CONTRACT_TROUBLES[trouble] }, 'Sweeping is not possible.');
  }
}
