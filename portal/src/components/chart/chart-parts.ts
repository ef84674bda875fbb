import { CategoryScale, Chart, Filler, LinearScale, LineController, LineElement, PointElement } from 'chart.js';
import zoomPlugin from 'chartjs-plugin-zoom';

// Only the parts our charts use are bundled. Tooltip, legend and decimation are our own: shared cursor, pixel budget.
Chart.register(LineController, LineElement, PointElement, LinearScale, CategoryScale, Filler, zoomPlugin);

export { Chart };
