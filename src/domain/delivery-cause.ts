/** Why a delivery was not acknowledged: the status of the last answer, or the fault that prevented one. */
export interface DeliveryCause {
  readonly responseStatus: number | null;
  readonly fault: string | null;
}

/** Faults in a sentence, by their name in the API. */
const FAULTS: Readonly<Record<string, string>> = {
  dns: 'the name of the host does not resolve',
  tls: 'the TLS handshake fails; look at the certificate',
  refused: 'nothing accepts the connection',
  timeout: 'the receiver does not answer in time',
  reset: 'the receiver closes the connection before it has answered',
  protocol: 'the answer is not HTTP/1.1',
  target_not_allowed: 'the address is private, and the service does not connect to it',
  internal: 'an error on our side; look at the log',
};

const STATUSES: Readonly<Record<number, string>> = {
  400: 'the receiver refuses the body; probably it parses it before it verifies it',
  401: 'probably a wrong secret',
  403: 'probably a wrong secret, or a firewall in front of the receiver',
  404: 'probably a wrong path in the URL',
  405: 'the URL takes no POST',
  408: 'the receiver does not answer in time',
  410: 'the URL no longer exists',
  413: 'the receiver takes no body of this size',
  415: 'the receiver takes no JSON',
  429: 'the receiver limits how much it takes',
  502: 'the proxy of the receiver does not reach it',
  503: 'the receiver is down or overloaded',
  504: 'the receiver does not answer its proxy in time',
};

const CLASSES: Readonly<Record<number, string>> = {
  1: 'the answer is not final',
  3: 'the URL redirects, and redirects are not followed',
  4: 'the receiver refuses the request',
  5: 'the receiver fails',
};

/** Returns the cause as a short text for staff, such as "401: probably a wrong secret". */
export function describeCause({ responseStatus, fault }: DeliveryCause): string {
  if (responseStatus !== null) {
    const meaning =
      STATUSES[responseStatus] ?? CLASSES[Math.floor(responseStatus / 100)] ?? 'the answer is no HTTP status';
    return `${responseStatus}: ${meaning}`;
  }
  if (fault === null) return 'no attempt was recorded';
  return `${fault.replaceAll('_', ' ')}: ${FAULTS[fault] ?? 'there was no complete answer'}`;
}

/** Whether the receiver probably has another secret than the endpoint. */
export const suggestsWrongSecret = ({ responseStatus }: DeliveryCause): boolean =>
  responseStatus === 401 || responseStatus === 403;
