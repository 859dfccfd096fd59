import { Injectable } from '@nestjs/common';
import { newWebhookSecret } from '../../domain/webhook-signature.js';
import { SecretBox, type SecretPlace } from '../../platform/secret-box.js';

/** A secret as the merchant is shown it once, and as it is stored. */
export interface IssuedSecret {
  readonly secret: string;
  readonly sealed: Buffer;
}

/** So many endpoints are signed for by one process without opening their secrets anew each time. */
const OPENED_MAX = 1_000;

/** Makes the signing secrets of endpoints, and opens them again to sign. */
@Injectable()
export class EndpointSecrets {
  // Private to the instance in JavaScript too, so that neither a log nor an inspector prints it.
  readonly #opened = new Map<string, string>();

  constructor(private readonly box: SecretBox) {}

  issue(endpointId: string): IssuedSecret {
    const secret = newWebhookSecret();
    return { secret, sealed: this.box.seal(placeOf(endpointId), secret) };
  }

  /** @throws SecretBoxError when `SECRETS_KEY` is not the one it was sealed under. */
  open(endpointId: string, sealed: Buffer): string {
    // By all of its bytes, so that a box that was tampered with is opened, and refused.
    const key = `${endpointId} ${sealed.toString('latin1')}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const secret = this.box.open(placeOf(endpointId), sealed).toString('utf8');
    if (this.#opened.size >= OPENED_MAX) this.#opened.clear();
    this.#opened.set(key, secret);
    return secret;
  }
}

/** What the secrets of an endpoint are sealed for. */
export const placeOf = (endpointId: string): SecretPlace => ({ purpose: 'webhook-secret', rowId: endpointId });
