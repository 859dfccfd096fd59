import type { Logger } from 'pino';
import type { Database } from '../../src/platform/database/database.js';
import type { SweepSigner } from '../../src/treasury/sweeps/sweep-signer.service.js';
import type {
  PaymentOrder,
  PaymentSigner,
  UnsignedPayments,
} from '../../src/treasury/transactions/payment-signer.service.js';
import type { Vault } from '../../src/vault/vault.js';
import { query } from './sql.js';

/** Signs payments of one purpose as the jobs of the vault do: all that wait, or one of them. */
export class PaymentSpecSigner<Reason extends string> {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly signerWith: (logger: Logger) => PaymentSigner,
    private readonly payments: UnsignedPayments<PaymentOrder<Reason>, Reason>,
  ) {}

  signWaiting(vault: Vault): Promise<void> {
    return this.signerWith(this.logger).signWaiting(vault, this.payments);
  }

  /**
   * Signs this order alone, as if other signers had locked the others. Returns why it waits; null when it is signed or has
   * ended.
   * @throws the error that kept it from being signed
   */
  async sign(vault: Vault, id: string): Promise<Reason | null> {
    const { payments } = this;
    const lock: typeof payments.lock = (tx, ids) =>
      payments.lock(
        tx,
        ids.filter((each) => each === id),
      );
    const alone: typeof payments = Object.assign(Object.create(payments), { lock });
    const log = new SigningLog(this.logger, id);
    await this.signerWith(log.logger).signWaiting(vault, alone);
    const reason = log.outcome() ?? (await waitingReason(this.database, payments.purpose, id));
    return reason as Reason | null;
  }
}

/** Signs sweeps and their contracts as the jobs of the vault do. */
export class SweepSpecSigner {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly signerWith: (logger: Logger) => SweepSigner,
  ) {}

  signWaiting(vault: Vault): Promise<void> {
    return this.signerWith(this.logger).signWaiting(vault);
  }

  /** Signs all that wait. Returns why this order waits then, or throws, as `PaymentSpecSigner.sign`. */
  async sign(vault: Vault, purpose: 'sweep' | 'contract', id: string): Promise<string | null> {
    const log = new SigningLog(this.logger, id);
    await this.signerWith(log.logger).signWaiting(vault);
    return log.outcome() ?? waitingReason(this.database, purpose === 'sweep' ? 'sweep' : 'sweep_contract', id);
  }
}

/** A log that notices why one order was not signed. */
class SigningLog {
  readonly logger: Logger;
  private failure: { readonly error: unknown } | null = null;
  private isRefused = false;

  constructor(logger: Logger, id: string) {
    const isAbout = (fields: object): boolean => Object.values(fields).includes(id);
    this.logger = Object.assign(Object.create(logger) as Logger, {
      error: (fields: { readonly err?: unknown }, message: string): void => {
        if (isAbout(fields) && fields.err !== undefined) this.failure = { error: fields.err };
        logger.error(fields, message);
      },
      fatal: (fields: object, message: string): void => {
        if (isAbout(fields)) this.isRefused = true;
        logger.fatal(fields, message);
      },
    });
  }

  /** @throws the logged error */
  outcome(): 'wallet_frozen' | null {
    if (this.failure !== null) throw this.failure.error;
    return this.isRefused ? 'wallet_frozen' : null;
  }
}

async function waitingReason(database: Database, table: string, id: string): Promise<string | null> {
  const [row] = await query<{ waiting_reason: string | null }>(
    database,
    `select waiting_reason from ${table} where id = $1 and signed_at is null`,
    [id],
  );
  return row?.waiting_reason ?? null;
}
