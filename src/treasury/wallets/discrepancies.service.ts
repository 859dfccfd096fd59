import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import type { Environment, Network } from '../../domain/network.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { formatUnits } from '../../domain/money.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { lockSnapshot, takeOffMissing } from './discrepancies.sql.js';
import { Discrepancy } from './discrepancy.entity.js';

/** A token in the hot wallet of a network. */
export interface HotToken {
  readonly environment: Environment;
  readonly network: Network;
  /** Its symbol, such as `USDC`. */
  readonly token: string;
}

/** Writes off funds that are missing from a hot wallet, once an operator decided that they will not come back. */
@Injectable()
export class Discrepancies {
  constructor(private readonly ledger: LedgerService) {}

  /**
   * Writes off the amount that the newest comparison with the chain found missing, as a receivable (`receivable ->
   * chain`). From then on the books match the wallet, so a later discrepancy shows again. Returns the amount as a
   * decimal string with its symbol.
   * @throws DomainError not_found without such a wallet or token; invalid_state_transition when nothing is missing, or
   * the newest snapshot of the wallet is not compared yet
   */
  async writeOff(tx: Tx, hot: HotToken, { actor, reason }: StaffOrder): Promise<string> {
    const { environment, network, token } = hot;
    const [snapshot] = await rows(tx, lockSnapshot(environment, network, token));
    if (snapshot === undefined)
      throw notFound(`balance snapshot of ${token} in the hot wallet of ${environment}/${network}`);
    const { chainRef, tokenContract: contract, missing, bookedHeight: height } = snapshot;
    if (height !== snapshot.height) {
      throw refusal(`The ${token} balance at block ${snapshot.height} is not compared yet: try again in a minute.`);
    }
    const amount = BigInt(missing);
    if (amount === 0n) throw refusal(`At block ${height} no ${token} is missing: there is nothing to write off.`);
    const id = newId('sho_');
    const details = { chain: chainRef, token: contract, amount: missing, block: height };
    await recordAction(tx, { actor, reason, action: 'treasury.write_off', subject: id, details });
    await tx.insert(Discrepancy, { id, chainRef, tokenContract: contract, amount, height: Number(height) });
    await rows(tx, takeOffMissing(chainRef, contract));
    const asset = assetOf(network, contract);
    await this.ledger.book(tx, {
      reference: `shortage:${id}`,
      kind: 'shortage',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'receivable', environment, asset),
        to: await systemAccount(tx, 'chain', environment, asset),
        asset,
        amount,
      }),
    });
    return `${formatUnits(amount, snapshot.decimals)} ${token}`;
  }
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
