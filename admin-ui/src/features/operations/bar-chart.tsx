import styles from './bar-chart.module.css';

/** One series of bars. */
export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

interface BarChartProps {
  /** What the chart shows, for screen readers; the table beside it has the figures. */
  readonly label: string;
  /** The days, the oldest first. */
  readonly days: readonly string[];
  /** At most three, stacked in this order from below. */
  readonly series: readonly Series[];
  /** Writes a value. */
  readonly format: (value: number) => string;
}

const HEIGHT = 100;
/** Of a day; the rest is the gap to the next one. */
const BAR_SHARE = 0.72;

/** Stacked bars, one for each day. */
export function BarChart({ label, days, series, format }: BarChartProps) {
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const most = Math.max(...totals);
  if (most === 0) return <p>Nothing in these days.</p>;
  return (
    <div>
      <div className={styles['ends']} aria-hidden>
        <span>{format(most)} on the highest day</span>
      </div>
      <svg
        className={styles['chart']}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, by day`}
      >
        {days.map((day, place) => (
          <Bar key={day} day={day} place={place} series={series} most={most} format={format} />
        ))}
        <line
          className={styles['axis']}
          x1={0}
          x2={days.length}
          y1={HEIGHT}
          y2={HEIGHT}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <div className={styles['ends']} aria-hidden>
        <span>{days[0]}</span>
        <span>{days.at(-1)}</span>
      </div>
      <ul className={styles['legend']}>
        {series.map(({ label: name }, place) => (
          <li key={name}>
            <svg width={10} height={10} aria-hidden>
              <rect className={styles['bar']} data-series={place} width={10} height={10} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface BarProps {
  readonly day: string;
  readonly place: number;
  readonly series: readonly Series[];
  /** The height of the chart. */
  readonly most: number;
  readonly format: (value: number) => string;
}

function Bar({ day, place, series, most, format }: BarProps) {
  let top = HEIGHT;
  return (
    <g>
      <title>{`${day}: ${series.map(({ label, values }) => `${label} ${format(values[place] ?? 0)}`).join(', ')}`}</title>
      {series.map(({ label, values }, index) => {
        const height = ((values[place] ?? 0) / most) * HEIGHT;
        top -= height;
        return (
          <rect
            key={label}
            className={styles['bar']}
            data-series={index}
            x={place + (1 - BAR_SHARE) / 2}
            y={top}
            width={BAR_SHARE}
            height={height}
          />
        );
      })}
    </g>
  );
}
