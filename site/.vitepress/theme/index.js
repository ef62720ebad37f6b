import theme from 'vitepress/theme-without-fonts';
import './style.css';

// biome-ignore lint/style/noDefaultExport: VitePress takes a theme so
export default theme;
