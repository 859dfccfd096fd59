import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { newId } from '../../domain/ids.js';
import { findFinalBlock } from '../final-block.sql.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
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
import {
  type ContractKey,
  findDeployment,
  findWalletWithContracts,
  insertContract,
  markReady,
  markTrouble,
} from './sweep-contracts.sql.js';

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
    const [wallet] = await this.database.rows(findWalletWithContracts(chainRef));
    if (wallet === undefined) return null;
    const contracts = sweepContracts(wallet.addressKey);
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
    const [final] = await this.database.rows(findFinalBlock(chainRef));
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
    const key = { chainRef, address: plan.address };
    await rows(tx, insertContract({ id: newId('swc_'), kind, ...key }));
    if (state === 'deployed') {
      await rows(tx, markReady(key));
      return true;
    }
    await this.writeTrouble(tx, key, await this.troubleOf(tx, key, state, final));
    return false;
  }

  private async troubleOf(
    tx: Tx,
    key: ContractKey,
    state: 'absent' | 'foreign',
    { height, hasProxy }: FinalState,
  ): Promise<ContractTrouble | null> {
    if (state === 'foreign') return 'foreign_code';
    if (!hasProxy) return 'no_deployment_proxy';
    const tried = await rows(tx, findDeployment(key, height));
    return tried.length > 0 ? 'deployment_failed' : null;
  }

  private async writeTrouble(tx: Tx, key: ContractKey, trouble: ContractTrouble | null): Promise<void> {
    const changed = await rows(tx, markTrouble(key, trouble));
    if (changed.length === 0 || trouble === null) return;
    this.logger.error({ ...key, reason: CONTRACT_TROUBLES[trouble] }, 'Sweeping is not possible.');
  }
}
