/** A method and a route. The route breaks behind its slashes where there is little room. */
export function Call({ method, route }: { readonly method: string; readonly route: string }) {
  const parts = route.split('/').slice(1);
  return (
    <span>
      {method}{' '}
      {parts.map((part, place) => (
        <span key={`${place} ${part}`}>
          /<wbr />
          {part}
        </span>
      ))}
    </span>
  );
}
