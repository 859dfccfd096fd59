/** Query and fragment are left out: merchants put tokens there. (User info is refused when an endpoint is made.) */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
