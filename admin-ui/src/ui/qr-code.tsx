import { encode } from 'uqr';

/** Modules of white around the code, as readers expect. */
const BORDER = 4;

/** A QR code, black on white in both schemes: readers want the contrast. */
export function QrCode({
  value,
  label,
  size = 180,
}: {
  readonly value: string;
  readonly label: string;
  readonly size?: number;
}) {
  const { data, size: modules } = encode(value, { border: BORDER, ecc: 'M' });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${modules} ${modules}`}
      width={size}
      height={size}
      shapeRendering="crispEdges"
    >
      <rect width={modules} height={modules} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
