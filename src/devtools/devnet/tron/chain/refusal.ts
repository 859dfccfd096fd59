/** Why a node refuses a transaction: the exception of java-tron that it stands for. */
export type RefusalKind =
  | 'signature'
  | 'validate'
  | 'execute'
  | 'resource'
  | 'duplicate'
  | 'tapos'
  | 'too_big'
  | 'expiration'
  | 'busy'
  | 'unsolidified';

/** A transaction is refused; nothing of it is kept. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Refuses a contract, as java-tron's ContractValidateException does. */
export const invalid = (message: string): Refusal => new Refusal('validate', message);

interface BroadcastError {
  readonly code: string;
  readonly message: string;
}

const BROADCAST_ERRORS: Readonly<Record<RefusalKind, (detail: string) => BroadcastError>> = {
  signature: (detail) => ({ code: 'SIGERROR', message: `Validate signature error: ${detail}` }),
  validate: (detail) => ({ code: 'CONTRACT_VALIDATE_ERROR', message: `Contract validate error : ${detail}` }),
  execute: (detail) => ({ code: 'CONTRACT_EXE_ERROR', message: `Contract execute error : ${detail}` }),
  resource: () => ({ code: 'BANDWITH_ERROR', message: 'Account resource insufficient error.' }),
  duplicate: () => ({ code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction.' }),
  tapos: () => ({ code: 'TAPOS_ERROR', message: 'Tapos check error.' }),
  too_big: (detail) => ({ code: 'TOO_BIG_TRANSACTION_ERROR', message: detail }),
  expiration: () => ({ code: 'TRANSACTION_EXPIRATION_ERROR', message: 'Transaction expired' }),
  busy: () => ({ code: 'SERVER_BUSY', message: 'Server busy.' }),
  unsolidified: () => ({ code: 'BLOCK_UNSOLIDIFIED', message: 'Block unsolidified.' }),
};

/** The code and the message of a broadcast for each exception. Source: Wallet.broadcastTransaction. */
export const broadcastError = ({ kind, message }: Refusal): BroadcastError => BROADCAST_ERRORS[kind](message);
