import type { OpenOrder, SignedPayment } from './sandbox-orders.js';

/**
 * What became of signed bytes. `absent`: the chain does not have them. `included`: it has them, in a block or waiting for one.
 * `dead`: it can never have them. `reverted`: they are final, and moved nothing.
 */
export type PaymentFate = 'absent' | 'included' | 'final' | 'reverted' | 'dead';

/**
 * A chain that accepted bytes, or refused them with a message. Refused bytes are `void` when it does not have them and
 * receives them from us alone, `dead` when it can never have them, and else `open`.
 */
export type SendOutcome = 'sent' | { readonly refusal: Error; readonly bytes: 'void' | 'dead' | 'open' };

/** Pays the orders of one development chain. How bytes move funds at most once is a matter of its family. */
export interface SandboxWallet {
  /** Signs a payment and sends nothing. */
  sign(order: OpenOrder): Promise<SignedPayment>;
  /** @param finalizedHeight the newest final block that the listener has recorded: later ones are not final yet */
  fateOf(signed: SignedPayment, finalizedHeight: number): Promise<PaymentFate>;
  /** Sends bytes, which the chain may have already. `isNew`: it was never given them. */
  send(
    signed: SignedPayment,
    order: { readonly finalizedHeight: number; readonly isNew: boolean },
  ): Promise<SendOutcome>;
}
