/**
 * The signed bytes are not the requested transaction and must never be sent. Names the field, no values; `raw` when they are
 * no transaction in canonical encoding.
 */
export class SignedMismatch extends Error {
  readonly field: string;

  constructor(field: string) {
    super(`The signed transaction is not the one that was asked for: its ${field} differs.`);
    this.name = 'SignedMismatch';
    this.field = field;
  }
}
