import { Injectable } from '@nestjs/common';
import { newWebhookSecret } from '../domain/webhook-signature.js';
import { SecretBox, type SecretPlace } from '../platform/secret-box.js';

/** A secret as the merchant is shown it once, and as it is stored. */
export interface IssuedSecret {
  readonly secret: string;
  readonly sealed: Buffer;
}

/** Makes the signing secrets of endpoints, and opens them again to sign. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly box: SecretBox) {}

  issue(endpointId: string): IssuedSecret {
    const secret = newWebhookSecret();
    return { secret, sealed: this.box.seal(placeOf(endpointId), secret) };
  }

  /** @throws SecretBoxError when `SECRETS_KEY` is not the one it was sealed under. */
  open(endpointId: string, sealed: Buffer): string {
    return this.box.open(placeOf(endpointId), sealed).toString('utf8');
  }
}

const placeOf = (endpointId: string): SecretPlace => ({ purpose: 'webhook-secret', rowId: endpointId });
