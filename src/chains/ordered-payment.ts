/** A payment as its row orders it. */
export interface OrderedPayment {
  readonly token: string;
  readonly amount: string;
  readonly recipient: string;
}
