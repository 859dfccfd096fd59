/** Why an attempt to deliver an event has no complete answer, by its name in the API. */
export const DELIVERY_FAULTS = [
  'dns',
  'tls',
  'refused',
  'timeout',
  'reset',
  'protocol',
  'target_not_allowed',
  'internal',
] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

/** Why a delivery was not acknowledged: the status of the last answer, or the fault that prevented one. */
export interface DeliveryCause {
  readonly responseStatus: number | null;
  readonly fault: DeliveryFault | null;
}

const FAULTS: Readonly<Record<DeliveryFault, string>> = {
  dns: 'The host name does not resolve',
  tls: 'TLS handshake failed: check the certificate of the receiver',
  refused: 'Connection refused: nothing listens at this address',
  timeout: 'No answer in time',
  reset: 'Connection closed by the receiver before it answered',
  protocol: 'The answer is not valid HTTP/1.1',
  target_not_allowed: 'Private address: the service does not connect to it',
  internal: 'Error on our side: look at the log',
};

/** Returns a fault in words. */
export const faultText = (fault: DeliveryFault): string => FAULTS[fault];

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
  return fault === null ? 'No attempt was recorded' : FAULTS[fault];
}

/** Whether the receiver probably has another secret than the endpoint. */
export const suggestsWrongSecret = ({ responseStatus }: DeliveryCause): boolean =>
  responseStatus === 401 || responseStatus === 403;
