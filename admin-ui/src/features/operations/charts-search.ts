/** How many days a chart has, as it stands in the address. */
export const CHART_DAYS = ['7', '14', '30', '90'] as const;

export interface ChartsSearch {
  days: (typeof CHART_DAYS)[number];
}
