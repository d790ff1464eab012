<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AccountChange</name>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
</context>
<context>
    <name>AssistantText</name>
    <message>
        <source>Copied the account of %1</source>
        <translation>已复制 %1 的时间分布</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>Copied the overview</source>
        <translation>已复制概览</translation>
    </message>
</context>
<context>
    <name>ChangeTable</name>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>after</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>change</source>
        <translation>变化</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>About roofscope</source>
        <translation>关于 roofscope</translation>
    </message>
    <message>
        <source>&lt;h3&gt;roofscope %1&lt;/h3&gt;&lt;p&gt;Profiling reports and rooflines for CUDA kernels.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;&lt;p&gt;Qt %2&lt;/p&gt;</source>
        <translation>&lt;h3&gt;roofscope %1&lt;/h3&gt;&lt;p&gt;CUDA 内核的剖析报告与屋顶线。&lt;/p&gt;&lt;p&gt;Apache 许可证 2.0&lt;/p&gt;&lt;p&gt;Qt %2&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Mouse, keys and filters</source>
        <translation>鼠标、按键与过滤</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>hover</source>
        <translation>悬停</translation>
    </message>
    <message>
        <source>numbers of a dot</source>
        <translation>一个点的数值</translation>
    </message>
    <message>
        <source>click</source>
        <translation>单击</translation>
    </message>
    <message>
        <source>select the kernel in all views; on empty space: clear the selection</source>
        <translation>在各处选中该内核；点在空白处：取消选择</translation>
    </message>
    <message>
        <source>Shift and drag</source>
        <translation>按住 Shift 拖动</translation>
    </message>
    <message>
        <source>select the kernels in a box; with Ctrl: add them to the selection</source>
        <translation>选中框内的内核；加 Ctrl 为追加</translation>
    </message>
    <message>
        <source>wheel, + and −</source>
        <translation>滚轮、+ 和 −</translation>
    </message>
    <message>
        <source>zoom: the wheel at the cursor, the keys at the centre</source>
        <translation>以光标为中心缩放；以图中心缩放</translation>
    </message>
    <message>
        <source>drag, arrow keys</source>
        <translation>拖动、方向键</translation>
    </message>
    <message>
        <source>pan</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>double-click, 0</source>
        <translation>双击、0</translation>
    </message>
    <message>
        <source>show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Ctrl+F</source>
        <translation>Ctrl+F</translation>
    </message>
    <message>
        <source>search in the plot; Enter: next match, Shift+Enter: previous match</source>
        <translation>在图中查找；Enter：下一个，Shift+Enter：上一个</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>各处</translation>
    </message>
    <message>
        <source>Escape</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>end a search, clear a filter, restore all panes, clear the selection</source>
        <translation>结束查找、清除过滤、恢复所有窗格、取消选择</translation>
    </message>
    <message>
        <source>double-click on a pane&apos;s title</source>
        <translation>双击窗格标题</translation>
    </message>
    <message>
        <source>maximise or restore this pane</source>
        <translation>只看此窗格，再次恢复</translation>
    </message>
    <message>
        <source>Ctrl and wheel</source>
        <translation>Ctrl 加滚轮</translation>
    </message>
    <message>
        <source>make everything larger or smaller</source>
        <translation>整体放大或缩小</translation>
    </message>
    <message>
        <source>right click on a kernel</source>
        <translation>右击内核</translation>
    </message>
    <message>
        <source>filter by it or exclude it, copy, compare</source>
        <translation>按它过滤或排除、复制、比较</translation>
    </message>
    <message>
        <source>right click on the table&apos;s header</source>
        <translation>右击表头</translation>
    </message>
    <message>
        <source>choose columns</source>
        <translation>选择列</translation>
    </message>
    <message>
        <source>Ctrl+C in a table</source>
        <translation>在表中按 Ctrl+C</translation>
    </message>
    <message>
        <source>copy the selected rows, tab separated</source>
        <translation>复制所选行，以制表符分隔</translation>
    </message>
    <message>
        <source>Kernel filter</source>
        <translation>内核过滤</translation>
    </message>
    <message>
        <source>name or NVTX range contains it</source>
        <translation>名称或 NVTX 区间包含它</translation>
    </message>
    <message>
        <source>neither contains it</source>
        <translation>两者都不包含它</translation>
    </message>
    <message>
        <source>DRAM bandwidth, as a share of its roof or in bytes per second</source>
        <translation>DRAM 带宽，占屋顶的份额或带单位</translation>
    </message>
    <message>
        <source>shares</source>
        <translation>份额</translation>
    </message>
    <message>
        <source>total time, number of launches</source>
        <translation>总时间、启动次数</translation>
    </message>
    <message>
        <source>part of the verdict</source>
        <translation>判定的一部分</translation>
    </message>
    <message>
        <source>Fields: %1</source>
        <translation>字段：%1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>mouse, Left and Right in &quot;Over time&quot;</source>
        <translation>内核运行过程上的鼠标、左右键</translation>
    </message>
    <message>
        <source>numbers of one interval</source>
        <translation>一个区间的数值</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>Tab 键</translation>
    </message>
    <message>
        <source>completes the beginning of a field or a verdict</source>
        <translation>补全字段或判定的开头</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>a launch or its call: this launch; the mark of a repeat: its time</source>
        <translation>启动或其调用：选择该次启动；重复的标记：选择其时段</translation>
    </message>
    <message>
        <source>drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>select a time: its account, kernels and roofline</source>
        <translation>选择时段：其时间分布、内核和屋顶线</translation>
    </message>
    <message>
        <source>wheel, W and S</source>
        <translation>滚轮、W 和 S</translation>
    </message>
    <message>
        <source>zoom at the cursor; Shift and wheel scrolls the rows</source>
        <translation>在光标处缩放；Shift 加滚轮滚动各行</translation>
    </message>
    <message>
        <source>Shift and drag, A and D, arrow keys</source>
        <translation>Shift 加拖动、A 和 D、方向键</translation>
    </message>
    <message>
        <source>F, R, double-click or 0</source>
        <translation>F、R、双击或 0</translation>
    </message>
    <message>
        <source>show what is selected, one repeat, everything</source>
        <translation>显示所选内容、一次重复、全部</translation>
    </message>
    <message>
        <source>PgDown, PgUp</source>
        <translation>PgDown、PgUp</translation>
    </message>
    <message>
        <source>next, previous repeat</source>
        <translation>下一次、上一次重复</translation>
    </message>
    <message>
        <source>. and ,</source>
        <translation>. 和 ,</translation>
    </message>
    <message>
        <source>next, previous launch of the selected kernel</source>
        <translation>所选内核的下一次、上一次启动</translation>
    </message>
    <message>
        <source>C</source>
        <translation>C</translation>
    </message>
    <message>
        <source>show the call of the selected launch</source>
        <translation>显示所选启动的调用</translation>
    </message>
    <message>
        <source>search for launches</source>
        <translation>搜索启动</translation>
    </message>
    <message>
        <source>right click</source>
        <translation>右键单击</translation>
    </message>
    <message>
        <source>all of these</source>
        <translation>以上全部</translation>
    </message>
    <message>
        <source>P</source>
        <translation>P</translation>
    </message>
    <message>
        <source>pin the row under the mouse to the top, or that of the selected launch</source>
        <translation>将鼠标所指的行（或所选启动所在的行）固定在顶部</translation>
    </message>
    <message>
        <source>G</source>
        <translation>G</translation>
    </message>
    <message>
        <source>a repeat by its number</source>
        <translation>按编号转到某次重复</translation>
    </message>
</context>
<context>
    <name>KernelAnswerText</name>
    <message>
        <source>%1: %2 of its theoretical roof</source>
        <translation>%1：达到理论屋顶的 %2</translation>
    </message>
    <message>
        <source>; %1 of what this kernel can reach</source>
        <translation>；达到该内核可及水平的 %1</translation>
    </message>
    <message>
        <source>; %1</source>
        <translation>；%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>%1, %2 SMs</source>
        <translation>%1，%2 个 SM</translation>
    </message>
    <message>
        <source>Clocks</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>SM %1, DRAM %2</source>
        <translation>SM %1，DRAM %2</translation>
    </message>
    <message>
        <source>Measured by</source>
        <translation>测量方式</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>%1 (%2 to %3), %4</source>
        <translation>%1（%2 至 %3），%4</translation>
    </message>
    <message>
        <source>NVTX range</source>
        <translation>NVTX 区间</translation>
    </message>
    <message>
        <source>Full name</source>
        <translation>全名</translation>
    </message>
    <message>
        <source>%1: %2 of the time of resident warps (%3)</source>
        <translation>%1：占驻留线程束时间的 %2（%3）</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>counters</source>
        <translation>计数器</translation>
    </message>
</context>
<context>
    <name>KernelColumn</name>
    <message>
        <source>NVTX range: %1</source>
        <translation>NVTX 区间：%1</translation>
    </message>
    <message>
        <source>Launches with this kernel, device, launch shape and NVTX range</source>
        <translation>内核、设备、启动形状和 NVTX 区间均相同的启动次数</translation>
    </message>
    <message>
        <source>No duration was measured</source>
        <translation>未测量耗时</translation>
    </message>
    <message>
        <source>%1 per launch (median of %2, %3 to %4), %5</source>
        <translation>每次启动 %1（%2 次的中位数，%3 至 %4），%5</translation>
    </message>
    <message>
        <source>Share of all measured GPU time</source>
        <translation>占全部实测 GPU 时间</translation>
    </message>
    <message>
        <source>Share of the theoretical roof</source>
        <translation>占理论屋顶的比例</translation>
    </message>
    <message>
        <source>Operations per byte moved to and from DRAM, in the precision with the most operations</source>
        <translation>每搬运一字节 DRAM 数据所做的运算，取运算最多的精度</translation>
    </message>
    <message>
        <source>Bytes requested per byte moved; the lower value is shown. A low value is not a problem if all threads of a warp read the same address.</source>
        <translation>请求字节数与搬运字节数之比，显示两者中较低的一个。若线程束的所有线程读取同一地址，数值低并非问题。</translation>
    </message>
    <message>
        <source>(no NVTX range)</source>
        <translation>（无 NVTX 区间）</translation>
    </message>
    <message>
        <source>Duration per launch compared with the baseline; grey: within noise</source>
        <translation>每次启动的耗时与基线相比；灰色表示未超出噪声</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>算术强度</translation>
    </message>
    <message>
        <source>Coalescing</source>
        <translation>合并访问</translation>
    </message>
    <message>
        <source>Conflict</source>
        <translation>存储体冲突</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Changed counters</source>
        <translation>变化的计数器</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 — %3</source>
        <translation>%1：%2 — %3</translation>
    </message>
    <message>
        <source>Kernels with one name, launch shape and NVTX range are one row</source>
        <translation>名称、启动形状和 NVTX 区间相同的内核为一行</translation>
    </message>
    <message>
        <source>How often it was launched</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Sum over all launches</source>
        <translation>所有启动之和</translation>
    </message>
    <message>
        <source>What limits the kernel; the tooltip of a cell says why</source>
        <translation>内核受什么限制；单元格的提示说明原因</translation>
    </message>
    <message>
        <source>Achieved DRAM bandwidth; the bar is its share of the theoretical roof</source>
        <translation>达到的 DRAM 带宽；横条是占理论屋顶的份额</translation>
    </message>
    <message>
        <source>Operations per byte moved to and from DRAM</source>
        <translation>每与 DRAM 传输一字节所做的运算</translation>
    </message>
    <message>
        <source>Bytes requested per byte moved, for global loads or stores: the lower value</source>
        <translation>全局读或写中每传输一字节所请求的字节数，取较低者</translation>
    </message>
    <message>
        <source>Shared-memory wavefronts that are certainly excess</source>
        <translation>确定多余的共享内存波前</translation>
    </message>
    <message>
        <source>Achieved occupancy: resident warps, as a share of the maximum</source>
        <translation>达到的占用率：驻留的 warp 占可驻留的份额</translation>
    </message>
    <message>
        <source>Counters that changed beyond noise since the baseline</source>
        <translation>与基线相比变化超出噪声的计数器</translation>
    </message>
    <message>
        <source>%1 rows</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Median duration of a launch</source>
        <translation>单次启动耗时的中位数</translation>
    </message>
    <message>
        <source>Grid · block</source>
        <translation>网格 · 线程块</translation>
    </message>
    <message>
        <source>Blocks of the grid and threads of a block; sorted by all threads</source>
        <translation>网格的线程块数和每块的线程数；按线程总数排序</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>寄存器</translation>
    </message>
    <message>
        <source>Registers per thread, as compiled</source>
        <translation>每线程寄存器数（编译结果）</translation>
    </message>
</context>
<context>
    <name>KernelFacts</name>
    <message>
        <source>shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>%1 blocks of %2 threads</source>
        <translation>%1 个线程块，每块 %2 个线程</translation>
    </message>
</context>
<context>
    <name>KernelFilter</name>
    <message>
        <source>&quot;%1&quot; needs a value to compare with</source>
        <translation>“%1”缺少比较值</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a number</source>
        <translation>“%1”不是数字</translation>
    </message>
    <message>
        <source>write for example %1</source>
        <translation>写法示例：%1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot be compared with &quot;%2&quot;</source>
        <translation>“%1”不能与“%2”比较</translation>
    </message>
    <message>
        <source>use ns, us, ms or s</source>
        <translation>请使用 ns、us、ms 或 s</translation>
    </message>
    <message>
        <source>use a share such as 60% or a rate such as 2TB/s</source>
        <translation>请使用 60% 这样的占比，或 2TB/s 这样的速率</translation>
    </message>
    <message>
        <source>use 50% or 0.5</source>
        <translation>请写 50% 或 0.5</translation>
    </message>
    <message>
        <source>use a plain number</source>
        <translation>请使用不带单位的数字</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a field</source>
        <translation>“%1”不是字段</translation>
    </message>
    <message>
        <source>fields are %1</source>
        <translation>字段有：%1</translation>
    </message>
</context>
<context>
    <name>MemoryChart</name>
    <message>
        <source>Shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Memory traffic of one launch. %1</source>
        <translation>一次启动的访存流量。%1</translation>
    </message>
    <message>
        <source>To measure it: roofscope record --groups %1 -- PROGRAM</source>
        <translation>测量方法：roofscope record --groups %1 -- PROGRAM</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 of peak</source>
        <translation>峰值的 %1</translation>
    </message>
    <message>
        <source>%1, share of the theoretical peak</source>
        <translation>%1，占理论峰值的比例</translation>
    </message>
    <message>
        <source>%1 bandwidth</source>
        <translation>%1 带宽</translation>
    </message>
    <message>
        <source>%1 bytes per launch</source>
        <translation>%1 每次启动的字节数</translation>
    </message>
    <message>
        <source>hit rate</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>%1 hit rate</source>
        <translation>%1 命中率</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>%1 SMs</source>
        <translation>%1 个 SM</translation>
    </message>
    <message>
        <source>Duration per launch, median over %1 launches</source>
        <translation>每次启动的耗时，%1 次启动的中位数</translation>
    </message>
    <message>
        <source>Hit rate of global loads</source>
        <translation>全局加载的命中率</translation>
    </message>
    <message>
        <source>Hit rate of global stores</source>
        <translation>全局存储的命中率</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>conflicts</source>
        <translation>冲突</translation>
    </message>
    <message>
        <source>Wavefronts that are certainly excess</source>
        <translation>确定多余的波前</translation>
    </message>
    <message>
        <source>attainable</source>
        <translation>可达到</translation>
    </message>
    <message>
        <source>Share of the theoretical peak that this mix of reads and writes can reach</source>
        <translation>这种读写比例所能达到的理论峰值比例</translation>
    </message>
    <message>
        <source>loads</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>stores</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Shared loads, warp instructions</source>
        <translation>共享内存加载，线程束指令数</translation>
    </message>
    <message>
        <source>Shared stores, warp instructions</source>
        <translation>共享内存存储，线程束指令数</translation>
    </message>
    <message>
        <source>wavefronts</source>
        <translation>波前</translation>
    </message>
    <message>
        <source>Wavefronts of shared loads</source>
        <translation>共享内存加载的波前</translation>
    </message>
    <message>
        <source>Wavefronts of shared stores</source>
        <translation>共享内存存储的波前</translation>
    </message>
    <message>
        <source>Global loads, warp instructions</source>
        <translation>全局加载，线程束指令数</translation>
    </message>
    <message>
        <source>Global stores, warp instructions</source>
        <translation>全局存储，线程束指令数</translation>
    </message>
    <message>
        <source>sectors</source>
        <translation>扇区</translation>
    </message>
    <message>
        <source>Sectors of global loads</source>
        <translation>全局加载的扇区</translation>
    </message>
    <message>
        <source>Sectors of global stores</source>
        <translation>全局存储的扇区</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>所需</translation>
    </message>
    <message>
        <source>Bytes that global loads ask for</source>
        <translation>全局加载所需的字节数</translation>
    </message>
    <message>
        <source>Bytes that global stores ask for</source>
        <translation>全局存储所需的字节数</translation>
    </message>
    <message>
        <source>local</source>
        <translation>本地</translation>
    </message>
    <message>
        <source>Sectors of local memory</source>
        <translation>本地内存的扇区</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Bytes that the L2 returned</source>
        <translation>L2 返回的字节数</translation>
    </message>
    <message>
        <source>Bytes written to the L2</source>
        <translation>写入 L2 的字节数</translation>
    </message>
    <message>
        <source>Sectors looked up to read</source>
        <translation>为读取而查找的扇区</translation>
    </message>
    <message>
        <source>Sectors looked up to write</source>
        <translation>为写入而查找的扇区</translation>
    </message>
    <message>
        <source>bulk copies</source>
        <translation>批量拷贝</translation>
    </message>
    <message>
        <source>Bytes read by bulk copies (TMA)</source>
        <translation>批量拷贝（TMA）读取的字节数</translation>
    </message>
    <message>
        <source>Bytes written by bulk copies (TMA)</source>
        <translation>批量拷贝（TMA）写入的字节数</translation>
    </message>
    <message>
        <source>Bytes read</source>
        <translation>读取的字节数</translation>
    </message>
    <message>
        <source>Bytes written</source>
        <translation>写入的字节数</translation>
    </message>
    <message>
        <source>limits: %1 %2</source>
        <translation>瓶颈：%1 %2</translation>
    </message>
</context>
<context>
    <name>NumberText</name>
    <message>
        <source>not measured, missing: %1</source>
        <translation>未测量，缺少：%1</translation>
    </message>
    <message>
        <source>not applicable</source>
        <translation>不适用</translation>
    </message>
    <message>
        <source>not applicable (%1)</source>
        <translation>不适用（%1）</translation>
    </message>
</context>
<context>
    <name>OccupancyWhatIf</name>
    <message>
        <source>The resources of this kernel are not known.</source>
        <translation>不知道此内核所用的资源。</translation>
    </message>
    <message>
        <source>The limits of this GPU are not known.</source>
        <translation>不知道此 GPU 的上限。</translation>
    </message>
    <message>
        <source>For this launch the driver and our formula disagree, so no estimate is given for other blocks.</source>
        <translation>对这次启动，驱动与公式的结果不一致，因此不推断其他线程块。</translation>
    </message>
    <message>
        <source>Such a block does not fit into an SM</source>
        <translation>这样的线程块放不进一个 SM</translation>
    </message>
    <message>
        <source>%1, %2 of %3 warps: %4</source>
        <translation>%1，%3 个线程束中的 %2 个：%4</translation>
    </message>
    <message>
        <source>%1 block per SM</source>
        <translation>每个 SM %1 个线程块</translation>
    </message>
    <message>
        <source>%1 blocks per SM</source>
        <translation>每个 SM %1 个线程块</translation>
    </message>
    <message>
        <source> (as launched %1)</source>
        <translation>（实际启动时为 %1）</translation>
    </message>
    <message>
        <source>, limited by %1</source>
        <translation>，受限于%1</translation>
    </message>
</context>
<context>
    <name>OpenQuestions</name>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>To find out:</source>
        <translation>要查明：</translation>
    </message>
    <message>
        <source>what limits it (its counters were not read)</source>
        <translation>受什么限制：没有读取它的计数器</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>rank %1 · %2</source>
        <translation>rank %1 · %2</translation>
    </message>
    <message>
        <source> · process %1</source>
        <translation> · 进程 %1</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>%1 shapes</source>
        <translation>%1 种形状</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间用在哪里</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>What to do first</source>
        <translation>首先做什么</translation>
    </message>
    <message>
        <source>%1 × %2 launches</source>
        <translation>%1 × %2 次启动</translation>
    </message>
    <message>
        <source>its loop</source>
        <translation>其中的循环</translation>
    </message>
</context>
<context>
    <name>PlotSearch</name>
    <message>
        <source>no match</source>
        <translation>无匹配</translation>
    </message>
    <message>
        <source>none in the plot</source>
        <translation>图中没有</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>找到 %1 个</translation>
    </message>
    <message>
        <source> (not shown: %1)</source>
        <translation>（未显示：%1）</translation>
    </message>
</context>
<context>
    <name>Recording</name>
    <message>
        <source>(%1 lines left out)</source>
        <translation>（略去 %1 行）</translation>
    </message>
    <message>
        <source>invalid command line</source>
        <translation>命令行无法理解</translation>
    </message>
    <message>
        <source>an input is missing or cannot be opened</source>
        <translation>缺少输入文件或无法打开</translation>
    </message>
    <message>
        <source>something required is missing</source>
        <translation>缺少所需的组件</translation>
    </message>
    <message>
        <source>a defect in roofscope</source>
        <translation>roofscope 自身的缺陷</translation>
    </message>
    <message>
        <source>the profile cannot be created</source>
        <translation>无法创建剖析文件</translation>
    </message>
    <message>
        <source>reading or writing failed</source>
        <translation>读写中断</translation>
    </message>
    <message>
        <source>access denied by the system</source>
        <translation>系统拒绝访问</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>failed: %1: %2</source>
        <translation>失败：%1：%2</translation>
    </message>
    <message>
        <source>warning: %1: %2</source>
        <translation>警告：%1：%2</translation>
    </message>
    <message>
        <source>The profile contains what was measured until then.</source>
        <translation>此前测得的数据已写入剖析文件。</translation>
    </message>
    <message>
        <source>No profile was written.</source>
        <translation>没有写入剖析文件。</translation>
    </message>
    <message>
        <source>The recording was cancelled. %1</source>
        <translation>录制已取消。%1</translation>
    </message>
    <message>
        <source>A signal ended roofscope itself. %1</source>
        <translation>roofscope 自身被信号终止。%1</translation>
    </message>
    <message>
        <source>Recorded.</source>
        <translation>录制完成。</translation>
    </message>
    <message>
        <source>The program succeeded, but no profile was written.</source>
        <translation>程序运行成功，但没有写入剖析文件。</translation>
    </message>
    <message>
        <source>The program succeeded, but part of the measurement was lost; see the recording issues.</source>
        <translation>程序运行成功，但丢失了部分测量数据；丢失的内容见录制问题。</translation>
    </message>
    <message>
        <source>The program succeeded, but no CUDA launch was measured or timed.</source>
        <translation>程序运行成功，但没有测到任何 CUDA 启动，连耗时也没有。</translation>
    </message>
    <message>
        <source>Nothing was recorded (exit code %1: %2).</source>
        <translation>没有录制到任何数据（退出码 %1：%2）。</translation>
    </message>
    <message>
        <source>Signal %1 ended the program. %2</source>
        <translation>信号 %1 终止了程序。%2</translation>
    </message>
    <message>
        <source>The program failed with exit code %1. %2</source>
        <translation>程序失败，退出码 %1。%2</translation>
    </message>
    <message>
        <source>%1 cannot be started: %2</source>
        <translation>无法启动 %1：%2</translation>
    </message>
    <message>
        <source>write NAME=value, one per line</source>
        <translation>写成 NAME=value，每行一个</translation>
    </message>
    <message>
        <source>time, memory traffic, arithmetic, coalescing, bank conflicts, occupancy: what verdicts and most hints need</source>
        <translation>耗时、访存流量、算术运算、合并访问、存储体冲突、占用率：判定和大多数提示所需</translation>
    </message>
    <message>
        <source>operations of the tensor cores by data type</source>
        <translation>张量核心运算，按数据类型</translation>
    </message>
    <message>
        <source>instructions per pipe: integer, FMA, special functions, …</source>
        <translation>各流水线的指令数：整数、FMA、特殊函数…</translation>
    </message>
    <message>
        <source>sectors and hit rates of L2 and L1</source>
        <translation>L2 和 L1 的扇区与命中率</translation>
    </message>
    <message>
        <source>stall reasons of warps</source>
        <translation>线程束在等待什么</translation>
    </message>
    <message>
        <source>requests and sectors of global and local memory, hit rates</source>
        <translation>全局和本地内存的请求与扇区、命中率</translation>
    </message>
    <message>
        <source>shared memory by kind of instruction: loads, stores, atomics, matrix loads</source>
        <translation>共享内存，按指令种类：加载、存储、原子操作、矩阵加载</translation>
    </message>
    <message>
        <source>bytes of bulk copies (TMA), on Blackwell</source>
        <translation>批量拷贝（TMA）的字节数，Blackwell</translation>
    </message>
    <message>
        <source>traffic of tensor memory (tcgen05), on Blackwell</source>
        <translation>张量内存及其写入与读取（tcgen05），Blackwell</translation>
    </message>
    <message>
        <source>the quote %1 is not closed</source>
        <translation>引号 %1 没有闭合</translation>
    </message>
    <message>
        <source>choose the program to record</source>
        <translation>请选择要录制的程序</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>choose at least one group</source>
        <translation>请至少选择一个组</translation>
    </message>
    <message>
        <source>Counter groups</source>
        <translation>计数器组</translation>
    </message>
    <message>
        <source>Kernel filter</source>
        <translation>内核过滤</translation>
    </message>
    <message>
        <source>there is no folder %1</source>
        <translation>文件夹 %1 不存在</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>工作文件夹</translation>
    </message>
    <message>
        <source>%1 is a folder</source>
        <translation>%1 是文件夹</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>剖析文件</translation>
    </message>
    <message>
        <source>utilisation of the L2&apos;s atomic units: the busiest and all of them</source>
        <translation>L2 原子操作单元的繁忙程度：最忙的一个与全部</translation>
    </message>
    <message>
        <source>ssh cannot connect to %1: %2</source>
        <translation>ssh 无法到达 %1：%2</translation>
    </message>
    <message>
        <source>no reason given</source>
        <translation>没有说明原因</translation>
    </message>
    <message>
        <source>roofscope is not in the PATH of ssh sessions on %1. Install it there; it is not installed from here.</source>
        <translation>ssh 在 %1 上的 PATH 中没有 roofscope。请在那里安装；这里不会安装任何东西。</translation>
    </message>
    <message>
        <source>On %1 the profile stays as %2.</source>
        <translation>剖析文件在 %1 上保留为 %2。</translation>
    </message>
    <message>
        <source>The profile could not be fetched from %1: %2</source>
        <translation>没有从 %1 得到剖析文件：%2</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>更多选项</translation>
    </message>
    <message>
        <source>%1 is not allowed here</source>
        <translation>%1 不应写在这里</translation>
    </message>
    <message>
        <source>enter a name for ssh: HOST or USER@HOST</source>
        <translation>请按 ssh 的写法填写：HOST 或 USER@HOST</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
</context>
<context>
    <name>RooflineTooltip</name>
    <message>
        <source>Intensity at %1</source>
        <translation>算术强度（%1）</translation>
    </message>
    <message>
        <source>%1 rate</source>
        <translation>%1 速率</translation>
    </message>
    <message>
        <source>%1 bandwidth</source>
        <translation>带宽（%1）</translation>
    </message>
    <message>
        <source>of its roof</source>
        <translation>占其屋顶</translation>
    </message>
    <message>
        <source>Total time</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>Share of GPU time</source>
        <translation>占 GPU 时间</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>%1 roof, measured</source>
        <translation>%1 屋顶（实测）</translation>
    </message>
    <message>
        <source>%1 roof</source>
        <translation>%1 屋顶</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>process %1</source>
        <translation>进程 %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source> on %1</source>
        <translation>（%1）</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>NVTX range</source>
        <translation>NVTX 区间</translation>
    </message>
    <message>
        <source>No kernel on this stream for %1</source>
        <translation>此流上有 %1 没有内核运行</translation>
    </message>
    <message>
        <source>This profile has no launches.</source>
        <translation>此剖析文件中没有启动。</translation>
    </message>
    <message>
        <source>This profile has no start times of launches.</source>
        <translation>此剖析文件没有记录启动的开始时间。</translation>
    </message>
    <message>
        <source>This profile has no timing run, so the start times of its launches are unknown.</source>
        <translation>此剖析文件没有计时运行，因此不知道启动的开始时间。</translation>
    </message>
    <message>
        <source>Record it again: roofscope record makes a timing run unless --timing-repeats 0 is given.</source>
        <translation>请重新录制：除非指定 --timing-repeats 0，roofscope record 会做一次计时运行。</translation>
    </message>
    <message>
        <source>Not shown, because start or duration is missing: %1 launches</source>
        <translation>缺少开始时间或耗时而未显示的启动：%1</translation>
    </message>
    <message>
        <source>In a merged profile the times of each process start at its own recording</source>
        <translation>合并的剖析文件中，各进程的时间从各自录制的开始算起</translation>
    </message>
    <message>
        <source>copies to the GPU</source>
        <translation>拷贝到 GPU</translation>
    </message>
    <message>
        <source>copies to the host</source>
        <translation>拷贝到主机</translation>
    </message>
    <message>
        <source>copies between GPUs</source>
        <translation>GPU 间拷贝</translation>
    </message>
    <message>
        <source>copies on the GPU, memsets</source>
        <translation>GPU 内拷贝、memset</translation>
    </message>
    <message>
        <source>CPU launches</source>
        <translation>CPU 启动内核</translation>
    </message>
    <message>
        <source>CPU waits</source>
        <translation>CPU 等待</translation>
    </message>
    <message>
        <source>CPU copies</source>
        <translation>CPU 拷贝</translation>
    </message>
    <message>
        <source>CPU allocates or frees</source>
        <translation>CPU 分配或释放内存</translation>
    </message>
    <message>
        <source>CPU loads code or makes graphs</source>
        <translation>CPU 加载代码或构建图</translation>
    </message>
    <message>
        <source>other calls</source>
        <translation>其他调用</translation>
    </message>
    <message>
        <source>CPU · %1</source>
        <translation>CPU · %1</translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation>线程 %1</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>%1 · stream %2</source>
        <translation>%1 · 流 %2</translation>
    </message>
    <message>
        <source>pageable host memory</source>
        <translation>可分页主机内存</translation>
    </message>
    <message>
        <source>pinned host memory</source>
        <translation>锁页主机内存</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU 内存</translation>
    </message>
    <message>
        <source>managed memory</source>
        <translation>托管内存</translation>
    </message>
    <message>
        <source>memset</source>
        <translation>memset</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>copy from %1 to %2</source>
        <translation>从%1拷贝到%2</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Other GPU</source>
        <translation>另一 GPU</translation>
    </message>
    <message>
        <source>Launched by</source>
        <translation>启动者</translation>
    </message>
    <message>
        <source>a CUDA graph</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Submits</source>
        <translation>交给 GPU</translation>
    </message>
    <message>
        <source>More bars on this pixel: %1</source>
        <translation>此像素上还有 %1 个</translation>
    </message>
    <message>
        <source>No copy of this kind for %1</source>
        <translation>%1 内没有此类拷贝</translation>
    </message>
    <message>
        <source>No CUDA call on this thread for %1</source>
        <translation>此线程 %1 内没有 CUDA 调用</translation>
    </message>
    <message>
        <source>NVTX ranges</source>
        <translation>NVTX 区间</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Push to pop</source>
        <translation>从 push 到 pop</translation>
    </message>
    <message>
        <source>On the GPU</source>
        <translation>在 GPU 上</translation>
    </message>
    <message>
        <source>no known work</source>
        <translation>没有已知的工作</translation>
    </message>
    <message>
        <source>Push to the end of its GPU work</source>
        <translation>从 push 到其 GPU 工作结束</translation>
    </message>
    <message>
        <source>No range of this level for %1</source>
        <translation>%1 内没有这一层的区间</translation>
    </message>
    <message>
        <source>No GPU work of a range of this level for %1</source>
        <translation>%1 内没有这一层区间的 GPU 工作</translation>
    </message>
    <message>
        <source>Not shown: NVTX ranges nested deeper than %1 levels: %2</source>
        <translation>嵌套超过 %1 层而未显示的 NVTX 区间：%2</translation>
    </message>
    <message>
        <source>CPU · %1 · samples</source>
        <translation>CPU · %1 · 采样</translation>
    </message>
    <message>
        <source>CPU runs (samples)</source>
        <translation>CPU 运行（采样）</translation>
    </message>
    <message>
        <source>CPU waits in the system (samples)</source>
        <translation>CPU 在系统中等待（采样）</translation>
    </message>
    <message>
        <source>unknown function</source>
        <translation>未知函数</translation>
    </message>
    <message>
        <source>%1 (%2:%3)</source>
        <translation>%1 (%2:%3)</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>No sample of this thread for %1</source>
        <translation>该线程在 %1 内没有采样</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>线程块</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>线程块簇</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>寄存器</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Called</source>
        <translation>调用时间</translation>
    </message>
    <message>
        <source>By</source>
        <translation>调用函数</translation>
    </message>
    <message>
        <source>Call took</source>
        <translation>调用耗时</translation>
    </message>
    <message>
        <source>From call to start</source>
        <translation>从调用到开始</translation>
    </message>
    <message>
        <source>Queued after the call</source>
        <translation>调用返回后排队</translation>
    </message>
    <message>
        <source>At</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>launch %1 of %2</source>
        <translation>第 %1 次启动，共 %2 次</translation>
    </message>
    <message>
        <source>Kernel&apos;s median</source>
        <translation>该内核的中位数</translation>
    </message>
    <message>
        <source>GPU %1 · stream %2</source>
        <translation>GPU %1 · 流 %2</translation>
    </message>
    <message>
        <source>selected time</source>
        <translation>所选时段</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Counted as: %1</source>
        <translation>计为：%1</translation>
    </message>
    <message>
        <source>CPU samples: %1</source>
        <translation>CPU 采样：%1</translation>
    </message>
    <message>
        <source>CPU samples: %1 at %2</source>
        <translation>CPU 采样：%1，位于 %2</translation>
    </message>
    <message>
        <source>No phase for %1</source>
        <translation>%1 内没有阶段</translation>
    </message>
    <message>
        <source>repeat %1 of %2</source>
        <translation>第 %1 次重复，共 %2 次</translation>
    </message>
    <message>
        <source>repeats %1 to %2 of %3</source>
        <translation>第 %1 至 %2 次重复，共 %3 次</translation>
    </message>
    <message>
        <source>%1 sample</source>
        <translation>%1 个样本</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 个样本</translation>
    </message>
    <message>
        <source>began before</source>
        <translation>此前已开始</translation>
    </message>
    <message>
        <source>The CPU was in: %1</source>
        <translation>CPU 在：%1</translation>
    </message>
    <message>
        <source>The CPU was in, of %1: %2</source>
        <translation>CPU 所在（共 %1）：%2</translation>
    </message>
    <message>
        <source>%1 copy</source>
        <translation>%1 次拷贝</translation>
    </message>
    <message>
        <source>%1 copies</source>
        <translation>%1 次拷贝</translation>
    </message>
    <message>
        <source>%1 call</source>
        <translation>%1 次调用</translation>
    </message>
    <message>
        <source>%1 calls</source>
        <translation>%1 次调用</translation>
    </message>
    <message>
        <source>%1 range</source>
        <translation>%1 个范围</translation>
    </message>
    <message>
        <source>%1 ranges</source>
        <translation>%1 个范围</translation>
    </message>
    <message>
        <source>%1 stretch of samples</source>
        <translation>%1 段样本</translation>
    </message>
    <message>
        <source>%1 stretches of samples</source>
        <translation>%1 段样本</translation>
    </message>
    <message>
        <source>%1 phase</source>
        <translation>%1 个阶段</translation>
    </message>
    <message>
        <source>%1 phases</source>
        <translation>%1 个阶段</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
</context>
<context>
    <name>UnplottedKernels</name>
    <message>
        <source>its tensor operations were not counted</source>
        <translation>没有统计它的张量运算</translation>
    </message>
    <message>
        <source>it does no floating-point operations</source>
        <translation>它不做浮点运算</translation>
    </message>
    <message>
        <source>its counters or its duration were not measured</source>
        <translation>没有测量它的计数器或时长</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::AccountBar</name>
    <message>
        <source>%1: %2 of %3, %4</source>
        <translation>%1：%3 中的 %2，%4</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::ActionCard</name>
    <message>
        <source>Action %1: %2, %3</source>
        <translation>措施 %1：%2，%3</translation>
    </message>
    <message>
        <source>Show or hide action %1</source>
        <translation>展开或折叠措施 %1</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>Show the kernels of action %1</source>
        <translation>显示措施 %1 的内核</translation>
    </message>
    <message>
        <source>Show %1 in its file</source>
        <translation>在文件中显示 %1</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy action %1 with the next command</source>
        <translation>复制措施 %1 及下一条命令</translation>
    </message>
    <message>
        <source>Copy this text and the next command, for an assistant</source>
        <translation>复制此处内容和下一条命令，供助手使用</translation>
    </message>
    <message>
        <source>Gain per window; gains of several actions do not add up</source>
        <translation>每个窗口的收益；多个操作的收益不能相加</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::AnswerView</name>
    <message>
        <source>What limits the kernel, and what to edit</source>
        <translation>内核受什么限制，该改什么</translation>
    </message>
    <message>
        <source>Select a kernel to see what limits it.</source>
        <translation>选择一个内核，查看它受限于什么。</translation>
    </message>
    <message>
        <source>Confidence: %1</source>
        <translation>把握：%1</translation>
    </message>
    <message>
        <source>%1. It limits this kernel.</source>
        <translation>%1。它限制了这个内核。</translation>
    </message>
    <message>
        <source>Fix %1: %2</source>
        <translation>修改 %1：%2</translation>
    </message>
    <message>
        <source>Copy edit</source>
        <translation>复制修改</translation>
    </message>
    <message>
        <source>Copy the edit of fix %1</source>
        <translation>复制第 %1 项修改</translation>
    </message>
    <message>
        <source>Show %1 in the source</source>
        <translation>在源码中显示 %1</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Between launches</source>
        <translation>启动之间</translation>
    </message>
    <message>
        <source>Ruled out</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>Not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>About this measurement</source>
        <translation>关于本次测量</translation>
    </message>
    <message>
        <source>Show line %1</source>
        <translation>显示第 %1 行</translation>
    </message>
    <message>
        <source>What warps wait for</source>
        <translation>线程束在等什么</translation>
    </message>
    <message>
        <source>Record what is missing…</source>
        <translation>录制缺少的数据…</translation>
    </message>
    <message>
        <source>Opens the Record dialog, filled in with this program and kernel</source>
        <translation>打开录制对话框，已填好这个程序和内核</translation>
    </message>
    <message>
        <source>Gain per launch</source>
        <translation>每次启动的收益</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Contents</name>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Analysing %1…</source>
        <translation>正在分析 %1…</translation>
    </message>
    <message>
        <source>Cancelled loading %1</source>
        <translation>已取消加载 %1</translation>
    </message>
    <message>
        <source>Reloaded %1</source>
        <translation>已重新加载 %1</translation>
    </message>
    <message>
        <source>Comparing with the baseline…</source>
        <translation>正在与基线比较…</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基线）</translation>
    </message>
    <message>
        <source>(is the baseline)</source>
        <translation>（即基线）</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <translation>GPU %1：%2</translation>
    </message>
    <message>
        <source>%1 kernel</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 kernels</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 launch</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 launches</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 pass</source>
        <translation>%1 遍</translation>
    </message>
    <message>
        <source>%1 passes</source>
        <translation>%1 遍</translation>
    </message>
    <message>
        <source>recorded %1</source>
        <translation>录制于 %1</translation>
    </message>
    <message>
        <source>%1, not measured</source>
        <translation>%1，并非测量所得</translation>
    </message>
    <message>
        <source>No kernel has &quot;%1&quot; in its name or NVTX range</source>
        <translation>没有内核的名称或 NVTX 区间含有“%1”</translation>
    </message>
    <message>
        <source>%1 of GPU time</source>
        <translation>GPU 时间 %1</translation>
    </message>
    <message>
        <source>%1 changed on disk and was loaded again at %2. Now: %3. Before: %4.</source>
        <translation>%1 在磁盘上改变了，已于 %2 重新载入。现在：%3。之前：%4。</translation>
    </message>
    <message>
        <source>Added the column %1 to the kernel table</source>
        <translation>内核表已添加列 %1</translation>
    </message>
    <message>
        <source>Removed the column %1 from the kernel table</source>
        <translation>内核表已移除列 %1</translation>
    </message>
    <message>
        <source>Reading %1; ncu converts unknown formats (ended if it says nothing for %2 minutes)…</source>
        <translation>正在读取 %1；格式未知时由 ncu 转换（若 %2 分钟没有输出，将其终止）…</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::CounterTableModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 was not measured for this kernel</source>
        <translation>此内核未测量 %1</translation>
    </message>
    <message>
        <source>Median over the launches of this kernel</source>
        <translation>此内核各次启动的中位数</translation>
    </message>
    <message>
        <source>Counter</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Launches measured</source>
        <translation>已测启动</translation>
    </message>
    <message>
        <source>Share of the unit&apos;s peak at its clock, over all launches; empty if the peak is unknown</source>
        <translation>占该单元在其频率下能力的比例，按全部启动计算；峰值未知时为空</translation>
    </message>
    <message>
        <source>Of peak</source>
        <translation>占峰值</translation>
    </message>
    <message>
        <source>The counter as CUPTI names it</source>
        <translation>CUPTI 所用的计数器名称</translation>
    </message>
    <message>
        <source>Smallest value of a launch</source>
        <translation>各次启动中的最小值</translation>
    </message>
    <message>
        <source>Largest value of a launch</source>
        <translation>各次启动中的最大值</translation>
    </message>
    <message>
        <source>What the value counts</source>
        <translation>数值的单位</translation>
    </message>
    <message>
        <source>Launches with a value, of all launches of this kernel</source>
        <translation>该内核的所有启动中有数值的次数</translation>
    </message>
    <message>
        <source>Not measured in the baseline</source>
        <translation>基线中未测量</translation>
    </message>
    <message>
        <source>Nothing was counted in the baseline</source>
        <translation>基线中计数为零</translation>
    </message>
    <message>
        <source>%1: the ranges of both overlap</source>
        <translation>%1：两边各次启动的范围重叠</translation>
    </message>
    <message>
        <source>%1: outside the range of the baseline&apos;s launches</source>
        <translation>%1：所有启动都在基线范围之外</translation>
    </message>
    <message>
        <source>Median over the launches of this kernel in the baseline</source>
        <translation>基线中此内核各次启动的中位数</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>Median compared with the baseline; grey: the ranges of both overlap, or there is nothing to compare</source>
        <translation>中位数与基线之比；灰色：两边各次启动的范围重叠，或无可比较</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>%1: measured on different GPUs</source>
        <translation>%1：在不同的 GPU 上测得</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::DetailsView</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Search counters</source>
        <translation>搜索计数器</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Launch and occupancy</source>
        <translation>启动与占用率</translation>
    </message>
    <message>
        <source>Recording issues</source>
        <translation>录制问题</translation>
    </message>
    <message>
        <source>Recording issues (%1)</source>
        <translation>录制问题（%1）</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Memory chart</source>
        <translation>内存图</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Ranges</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>Ranges (%1)</source>
        <translation>区间（%1）</translation>
    </message>
    <message>
        <source>Launch sites</source>
        <translation>启动位置</translation>
    </message>
    <message>
        <source>Copy Selected Rows</source>
        <translation>复制所选行</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>运行过程</translation>
    </message>
    <message>
        <source>Add to or Remove from the Kernel Table</source>
        <translation>在内核表中添加或移除其列</translation>
    </message>
    <message>
        <source>Nothing went wrong while this was recorded</source>
        <translation>录制过程中没有出现问题</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Documents</name>
    <message>
        <source>The file changed but cannot be read; what was loaded at %1 stays open. %2</source>
        <translation>文件已改变但无法读取；%1 加载的内容保持打开。%2</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::EmptyView</name>
    <message>
        <source>Open a profile to see what limits your kernels</source>
        <translation>打开剖析文件，看看内核受限于什么</translation>
    </message>
    <message>
        <source>Open profile…</source>
        <translation>打开剖析文件…</translation>
    </message>
    <message>
        <source>Command that records a profile</source>
        <translation>录制剖析文件的命令</translation>
    </message>
    <message>
        <source>Recent profiles</source>
        <translation>最近的剖析文件</translation>
    </message>
    <message>
        <source>Record…</source>
        <translation>录制…</translation>
    </message>
    <message>
        <source>Open a sample</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>Kernels with known problems, recorded on an H200:
%1</source>
        <translation>带有已知问题的内核，在 H200 上录制：
%1</translation>
    </message>
    <message>
        <source>Record one here or on another machine with an NVIDIA GPU; viewing it needs no GPU:</source>
        <translation>可在本机或另一台有 NVIDIA GPU 的机器上录制；查看不需要 GPU：</translation>
    </message>
    <message>
        <source>%1 (deleted)</source>
        <translation>%1（已删除）</translation>
    </message>
    <message>
        <source>or drop a .roofscope.json, a trace of PyTorch, a .ncu-rep, .csv, .sqlite or .nsys-rep file here</source>
        <translation>或把 .roofscope.json、PyTorch 跟踪文件、.ncu-rep、.csv、.sqlite 或 .nsys-rep 文件拖到这里</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::FileActions</name>
    <message>
        <source>Open profiles</source>
        <translation>打开剖析文件</translation>
    </message>
    <message>
        <source>Export plot</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>SVG picture (*.svg)</source>
        <translation>SVG 图片 (*.svg)</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Export table</source>
        <translation>导出表格</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>已写入 %1</translation>
    </message>
    <message>
        <source>Export memory chart</source>
        <translation>导出内存图</translation>
    </message>
    <message>
        <source>SVG picture (*.svg);;PNG picture (*.png);;PDF document (*.pdf)</source>
        <translation>SVG 图片 (*.svg);;PNG 图片 (*.png);;PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>HTML page (*.html)</source>
        <translation>HTML 网页 (*.html)</translation>
    </message>
    <message>
        <source>Wrote %1: %2 of %3 kernels, as filtered</source>
        <translation>已写入 %1：按过滤为 %3 个内核中的 %2 个</translation>
    </message>
    <message>
        <source>Profiles, traces of PyTorch and Nsight (*.json *.json.gz *.ncu-rep *.csv *.csv.gz *.sqlite *.nsys-rep);;All files (*)</source>
        <translation>剖析文件、PyTorch 与 Nsight 的跟踪文件 (*.json *.json.gz *.ncu-rep *.csv *.csv.gz *.sqlite *.nsys-rep);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Export activity over time</source>
        <translation>导出运行过程中的活动</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::HintsView</name>
    <message>
        <source>Copy for assistant</source>
        <translation>复制给 AI 助手</translation>
    </message>
    <message>
        <source>Copies this report as markdown, ready to be pasted into an assistant</source>
        <translation>以 Markdown 复制此报告，可直接粘贴给 AI 助手</translation>
    </message>
    <message>
        <source>Copy JSON</source>
        <translation>复制 JSON</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Hints</source>
        <translation>优化提示</translation>
    </message>
    <message>
        <source>Since the baseline</source>
        <translation>与基线相比</translation>
    </message>
    <message>
        <source>Hints or comparison</source>
        <translation>优化提示或比较</translation>
    </message>
    <message>
        <source>The two compared</source>
        <translation>两者比较</translation>
    </message>
    <message>
        <source>Copy for assistant · ≈ %1 tokens</source>
        <translation>复制给 AI 助手 · ≈ %1 token</translation>
    </message>
    <message>
        <source>Copied the report: about %1 tokens</source>
        <translation>已复制报告：约 %1 个 token</translation>
    </message>
    <message>
        <source>Copied the comparison as JSON</source>
        <translation>已将比较结果复制为 JSON</translation>
    </message>
    <message>
        <source>Copied the kernel&apos;s findings as JSON</source>
        <translation>已将此内核的发现复制为 JSON</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Markdown (*.md);;All files (*)</source>
        <translation>Markdown (*.md);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Length of the report</source>
        <translation>报告的长度</translation>
    </message>
    <message>
        <source>Shorten the report to about this many tokens by leaving out the least important parts</source>
        <translation>从报告中略去最不重要的部分，直到助手读它大约只需这么多 token</translation>
    </message>
    <message>
        <source>In full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>≤ %1 tokens</source>
        <translation>≤ %1 token</translation>
    </message>
    <message>
        <source>All selected (%1)</source>
        <translation>全部所选（%1）</translation>
    </message>
    <message>
        <source>Copied the findings of all selected kernels as JSON</source>
        <translation>已将所有选中内核的发现复制为 JSON</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Copied the edit: %1</source>
        <translation>已复制修改：%1</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::InstructionModel</name>
    <message>
        <source>%1: source line unknown</source>
        <translation>%1：源码行未知</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::IssueModel</name>
    <message>
        <source>Info</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Data loss</source>
        <translation>数据丢失</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>严重程度</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>如何处理</translation>
    </message>
    <message>
        <source>Reported by</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Data loss: numbers are missing or affected</source>
        <translation>数据丢失：有数值因此缺失或改变</translation>
    </message>
    <message>
        <source>The original message</source>
        <translation>报告者的原话</translation>
    </message>
    <message>
        <source>What to change for the next recording</source>
        <translation>下次录制时的补救办法</translation>
    </message>
    <message>
        <source>Part of roofscope, and the problem&apos;s code</source>
        <translation>roofscope 的部件和问题代码</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::KernelFilterModel</name>
    <message>
        <source>&quot;%1&quot;: complete the comparison, for example bw &gt; 60%</source>
        <translation>“%1”：请接着写比较，例如 bw &gt; 60%</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::KernelTableModel</name>
    <message>
        <source>The baseline has no such kernel</source>
        <translation>基线没有这个内核</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新增</translation>
    </message>
    <message>
        <source>nothing beyond noise</source>
        <translation>无超出噪声的变化</translation>
    </message>
    <message>
        <source>from %1
to %2</source>
        <translation>从 %1
到 %2</translation>
    </message>
    <message>
        <source>Compared with %1 (%2)</source>
        <translation>比较对象：%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2, median of %3 of %4 launches</source>
        <translation>%1：%2，%4 次启动中 %3 次的中位数</translation>
    </message>
    <message>
        <source>%1 was not measured for this kernel</source>
        <translation>此内核未测量 %1</translation>
    </message>
    <message>
        <source>%1: the median over a kernel&apos;s launches</source>
        <translation>%1：内核各次启动的中位数</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::KernelTableView</name>
    <message>
        <source>Filter: name, bw &gt; 60%, conflict &gt; 0.1</source>
        <translation>过滤：名称、bw &gt; 60%、conflict &gt; 0.1</translation>
    </message>
    <message>
        <source>Kernel filter</source>
        <translation>内核过滤</translation>
    </message>
    <message>
        <source>Words are searched in name and NVTX range; comparisons must all hold.
Fields: %1
bw &gt; 60%   bw &gt; 2TB/s   conflict &gt; 0.1   occupancy &lt; 50%
time &gt; 100us   verdict = memory-bound</source>
        <translation>在名称和 NVTX 区间中查找各词；所有比较都必须成立。
字段：%1
bw &gt; 60%   bw &gt; 2TB/s   conflict &gt; 0.1   occupancy &lt; 50%
time &gt; 100us   verdict = memory-bound</translation>
    </message>
    <message>
        <source>Group kernels</source>
        <translation>内核分组</translation>
    </message>
    <message>
        <source>Group kernels by name, NVTX range or stream</source>
        <translation>将内核分组：按名称、按 NVTX 区间或按流</translation>
    </message>
    <message>
        <source>No groups</source>
        <translation>不分组</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>By range</source>
        <translation>按区间</translation>
    </message>
    <message>
        <source>By stream</source>
        <translation>按流</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Compared with %1</source>
        <translation>与 %1 比较</translation>
    </message>
    <message>
        <source>%1 of its kernels is not in this profile</source>
        <translation>其中 %1 个内核此处没有</translation>
    </message>
    <message>
        <source>%1 of its kernels are not in this profile</source>
        <translation>其中 %1 个内核此处没有</translation>
    </message>
    <message>
        <source>Only in the baseline:</source>
        <translation>仅在基线中：</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 kernels</source>
        <translation>%1 / %2 个内核</translation>
    </message>
    <message>
        <source>Only %1</source>
        <translation>只看 %1</translation>
    </message>
    <message>
        <source>Without %1</source>
        <translation>不看 %1</translation>
    </message>
    <message>
        <source>Copy Name</source>
        <translation>复制名称</translation>
    </message>
    <message>
        <source>Copy Selected Rows</source>
        <translation>复制所选行</translation>
    </message>
    <message>
        <source>Clear Filter</source>
        <translation>清除过滤</translation>
    </message>
    <message>
        <source>%1 · Tab completes: %2</source>
        <translation>%1 · Tab 键补全：%2</translation>
    </message>
    <message>
        <source>Show all kernels</source>
        <translation>显示所有内核</translation>
    </message>
    <message>
        <source>Selected time: %1  ×</source>
        <translation>所选时段：%1  ×</translation>
    </message>
    <message>
        <source>Only kernels that run in the time selected in the timeline. Numbers are those of all their launches. Click to see all kernels.</source>
        <translation>只显示在时间线所选时段内运行的内核。数值为其全部启动的数值。点击可查看所有内核。</translation>
    </message>
    <message>
        <source>Collapse all groups</source>
        <translation>折叠所有分组</translation>
    </message>
    <message>
        <source>Collapse or expand all groups</source>
        <translation>折叠或展开所有分组</translation>
    </message>
    <message>
        <source>Collapse All Groups</source>
        <translation>折叠所有分组</translation>
    </message>
    <message>
        <source>Expand All Groups</source>
        <translation>展开所有分组</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::LaunchSitesPage</name>
    <message>
        <source>Launch site</source>
        <translation>启动位置</translation>
    </message>
    <message>
        <source>Find the file…</source>
        <translation>查找文件…</translation>
    </message>
    <message>
        <source>Show the text of this source file from a copy on this machine</source>
        <translation>从本机的副本显示此源文件的文本</translation>
    </message>
    <message>
        <source>Code of the program</source>
        <translation>程序代码</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1 is not on this machine.</source>
        <translation>%1 不在本机上。</translation>
    </message>
    <message>
        <source>The file on this machine has fewer lines</source>
        <translation>本机上的此文件行数较少</translation>
    </message>
    <message>
        <source>Find %1</source>
        <translation>查找 %1</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>Shows the lines of %1</source>
        <translation>显示 %1 的各行</translation>
    </message>
    <message>
        <source>This recording has no launch sites: the source lines that launch kernels. roofscope record records them, unless --call-sites off is given.</source>
        <translation>此录制没有记下程序的哪些行启动内核。roofscope record 会记下它们，除非给出 --call-sites off。</translation>
    </message>
    <message>
        <source>The lines of %1 are not known: host code built with -g has them.</source>
        <translation>不知道 %1 的行号：用 -g 编译的主机代码带有行号。</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Look</name>
    <message>
        <source>Size: %1 %</source>
        <translation>大小：%1 %</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::MainMenu</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>Recor&amp;d…</source>
        <translation>录制(&amp;D)…</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>重新加载(&amp;L)</translation>
    </message>
    <message>
        <source>Use as &amp;Baseline</source>
        <translation>用作基线(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Close Profile</source>
        <translation>关闭剖析文件(&amp;C)</translation>
    </message>
    <message>
        <source>Export &amp;Plot</source>
        <translation>导出图(&amp;P)</translation>
    </message>
    <message>
        <source>As &amp;SVG…</source>
        <translation>导出为 &amp;SVG…</translation>
    </message>
    <message>
        <source>As &amp;PNG…</source>
        <translation>导出为 &amp;PNG…</translation>
    </message>
    <message>
        <source>As P&amp;DF…</source>
        <translation>导出为 P&amp;DF…</translation>
    </message>
    <message>
        <source>&amp;Memory Chart…</source>
        <translation>内存图(&amp;M)…</translation>
    </message>
    <message>
        <source>Export &amp;Table as CSV…</source>
        <translation>将表格导出为 CSV(&amp;T)…</translation>
    </message>
    <message>
        <source>Export Report as &amp;Markdown…</source>
        <translation>将报告导出为 &amp;Markdown…</translation>
    </message>
    <message>
        <source>Export Report as &amp;HTML…</source>
        <translation>将报告导出为 &amp;HTML…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>Copy Hints as &amp;JSON</source>
        <translation>将优化提示复制为 &amp;JSON</translation>
    </message>
    <message>
        <source>&amp;Save Hints…</source>
        <translation>保存优化提示(&amp;S)…</translation>
    </message>
    <message>
        <source>Search in P&amp;lot</source>
        <translation>在图中搜索(&amp;L)</translation>
    </message>
    <message>
        <source>Search C&amp;ounters</source>
        <translation>搜索计数器(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>后退(&amp;B)</translation>
    </message>
    <message>
        <source>For&amp;ward</source>
        <translation>前进(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Next Kernel</source>
        <translation>下一个内核(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous Kernel</source>
        <translation>上一个内核(&amp;P)</translation>
    </message>
    <message>
        <source>Select Not&amp;hing</source>
        <translation>全不选(&amp;H)</translation>
    </message>
    <message>
        <source>Show So&amp;urce</source>
        <translation>显示源码(&amp;U)</translation>
    </message>
    <message>
        <source>Next Hot L&amp;ine</source>
        <translation>下一热点行(&amp;I)</translation>
    </message>
    <message>
        <source>Pre&amp;vious Hot Line</source>
        <translation>上一热点行(&amp;V)</translation>
    </message>
    <message>
        <source>Compare the &amp;Two</source>
        <translation>比较两者(&amp;T)</translation>
    </message>
    <message>
        <source>Compare the two selected kernels: the current one with the other</source>
        <translation>选中的两个内核：当前内核与另一个比较</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>L2 and L1 as &amp;Nsight Compute Counts</source>
        <translation>按 &amp;Nsight Compute 的方式计 L2 和 L1</translation>
    </message>
    <message>
        <source>&amp;Columns</source>
        <translation>列(&amp;C)</translation>
    </message>
    <message>
        <source>Kernel L&amp;abels</source>
        <translation>内核标签(&amp;A)</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Show &amp;Everything</source>
        <translation>显示全部(&amp;E)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应</translation>
    </message>
    <message>
        <source>Show everything (Ctrl+0 or double-click)</source>
        <translation>显示全部（Ctrl+0 或双击）</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Si&amp;ze of Everything</source>
        <translation>整体大小(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Larger</source>
        <translation>放大(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smaller</source>
        <translation>缩小(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Normal</source>
        <translation>正常(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Levels</source>
        <translation>存储层级(&amp;L)</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Show dots and roof of %1 (%2)</source>
        <translation>显示点和屋顶：%1（%2）</translation>
    </message>
    <message>
        <source>&amp;Precisions</source>
        <translation>精度(&amp;P)</translation>
    </message>
    <message>
        <source>Tensor Cores</source>
        <translation>张量核心</translation>
    </message>
    <message>
        <source>FP</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Choose the precisions whose dots and roofs are shown</source>
        <translation>显示哪些精度的点和屋顶</translation>
    </message>
    <message>
        <source>Precisions</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>&amp;Kernels Pane</source>
        <translation>内核窗格(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Hints Pane</source>
        <translation>优化提示窗格(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Details Pane</source>
        <translation>详情窗格(&amp;D)</translation>
    </message>
    <message>
        <source>Maximise Pane</source>
        <translation>只看此窗格</translation>
    </message>
    <message>
        <source>Details At</source>
        <translation>详情位置</translation>
    </message>
    <message>
        <source>The &amp;Bottom</source>
        <translation>底部(&amp;B)</translation>
    </message>
    <message>
        <source>The &amp;Side</source>
        <translation>侧边(&amp;S)</translation>
    </message>
    <message>
        <source>A &amp;Window</source>
        <translation>单独窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Mouse, Keys and Filters</source>
        <translation>鼠标、按键与过滤(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;About roofscope</source>
        <translation>关于 roofscope(&amp;A)</translation>
    </message>
    <message>
        <source>%1 (deleted)</source>
        <translation>%1（已删除）</translation>
    </message>
    <message>
        <source>&amp;Clear List</source>
        <translation>全部清除(&amp;F)</translation>
    </message>
    <message>
        <source>O&amp;verview, or Kernels</source>
        <translation>概览或内核(&amp;V)</translation>
    </message>
    <message>
        <source>Activity over &amp;Time…</source>
        <translation>运行过程中的活动(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Next Profile</source>
        <translation>下一个剖析文件(&amp;N)</translation>
    </message>
    <message>
        <source>Prev&amp;ious Profile</source>
        <translation>上一个剖析文件(&amp;I)</translation>
    </message>
    <message>
        <source>Ne&amp;xt Pane</source>
        <translation>下一个窗格(&amp;X)</translation>
    </message>
    <message>
        <source>Previo&amp;us Pane</source>
        <translation>上一个窗格(&amp;U)</translation>
    </message>
    <message>
        <source>Sho&amp;w in the Details</source>
        <translation>在详情中显示(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Copy for Assistant</source>
        <translation>复制给助手(&amp;C)</translation>
    </message>
    <message>
        <source>Copies what is shown: the overview, what is selected in the timeline, or the hints of the selected kernel</source>
        <translation>复制当前显示的内容：概览、时间线中选中的部分，或所选内核的提示</translation>
    </message>
    <message>
        <source>Copy Hints for Assistant</source>
        <translation>复制提示给助手</translation>
    </message>
    <message>
        <source>&amp;Find</source>
        <translation>查找(&amp;F)</translation>
    </message>
    <message>
        <source>Searches in the timeline, the counters or the plot if they have the focus; else filters the kernels</source>
        <translation>焦点在时间线、计数器或图中时在其中查找；否则筛选内核</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::MemoryChartView</name>
    <message>
        <source>Memory chart</source>
        <translation>内存图</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::NameButton</name>
    <message>
        <source>Select %1</source>
        <translation>选择 %1</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::OccupancyLine</name>
    <message>
        <source>What if:</source>
        <translation>假如：</translation>
    </message>
    <message>
        <source>The occupancy with another block. Registers and static shared memory are fixed when the kernel is compiled, so change them there.</source>
        <translation>换一种线程块时的占用率。寄存器和共享内存在编译内核时确定：请在那里尝试。</translation>
    </message>
    <message>
        <source>threads per block</source>
        <translation>每线程块的线程数</translation>
    </message>
    <message>
        <source>registers per thread</source>
        <translation>每线程的寄存器数</translation>
    </message>
    <message>
        <source>shared memory per block</source>
        <translation>每线程块的共享内存</translation>
    </message>
    <message>
        <source>As launched</source>
        <translation>恢复原值</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::OverTimePage</name>
    <message>
        <source>This kernel was not sampled over time. To see its course (a slow start, phases, a tail), record it again (GA10x or later, kernels of 5 µs or more):</source>
        <translation>此内核未在其运行过程中采样。要了解其中先后发生了什么（启动慢、各阶段、尾部），请重新记录（GA10x 及更新的 GPU，5 µs 及以上的内核）：</translation>
    </message>
    <message>
        <source>No kernel is selected</source>
        <translation>未选择内核</translation>
    </message>
    <message>
        <source>Move the mouse, or press Left and Right, to see the numbers of one interval</source>
        <translation>用鼠标或左右键读取一个区间的数值</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::OverTimeView</name>
    <message>
        <source>Over time</source>
        <translation>运行过程</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::OverviewView</name>
    <message>
        <source>Where the program&apos;s time goes, and what to do first</source>
        <translation>程序的时间用在哪里，首先做什么</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间用在哪里</translation>
    </message>
    <message>
        <source>What to do first</source>
        <translation>首先做什么</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>Make one edit, then run exactly this:</source>
        <translation>只做一处修改，然后原样运行：</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Copied the next command</source>
        <translation>已复制下一条命令</translation>
    </message>
    <message>
        <source>Open questions</source>
        <translation>尚未查明的</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>Record for These Questions…</source>
        <translation>录制尚未查明的…</translation>
    </message>
    <message>
        <source>Opens the Record dialog, filled in with this program</source>
        <translation>打开录制对话框，已填好这个程序</translation>
    </message>
    <message>
        <source>Record…</source>
        <translation>录制…</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Judge this part by itself</source>
        <translation>单独评判这一部分</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Kernels, with their share of the window</source>
        <translation>内核及其占窗口的份额</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Pane</name>
    <message>
        <source>Double-click: maximise or restore this pane (F12)</source>
        <translation>双击：只看此窗格，再次恢复（F12）</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::ProgressLine</name>
    <message>
        <source>Loading</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::PropertyModel</name>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>NVTX range</source>
        <translation>NVTX 区间</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>%1, %2 SMs</source>
        <translation>%1，%2 个 SM</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <translation>%1（GPU %2）</translation>
    </message>
    <message>
        <source>%1 (GPUs %2)</source>
        <translation>%1（GPU %2）</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Per launch, median</source>
        <translation>每次启动，中位数</translation>
    </message>
    <message>
        <source>Per launch, shortest to longest</source>
        <translation>每次启动，最短至最长</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>no duration was measured</source>
        <translation>未测量耗时</translation>
    </message>
    <message>
        <source>Share of GPU time</source>
        <translation>占 GPU 时间</translation>
    </message>
    <message>
        <source>Headroom for the same work</source>
        <translation>相同工作量下的余量</translation>
    </message>
    <message>
        <source>Headroom if the first finding is fixed</source>
        <translation>仅修改首要发现的余量</translation>
    </message>
    <message>
        <source>Launch and resources</source>
        <translation>启动与资源</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>%1 block</source>
        <translation>%1 个线程块</translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation>%1 个线程块</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>线程块</translation>
    </message>
    <message>
        <source>%1 thread</source>
        <translation>%1 个线程</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>%1 个线程</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>线程块簇</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>每线程寄存器</translation>
    </message>
    <message>
        <source>Static shared memory per block</source>
        <translation>每线程块静态共享内存</translation>
    </message>
    <message>
        <source>Dynamic shared memory per block</source>
        <translation>每线程块动态共享内存</translation>
    </message>
    <message>
        <source>Local memory per thread</source>
        <translation>每线程本地内存</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>Limited by</source>
        <translation>受限于</translation>
    </message>
    <message>
        <source>Memory, per launch</source>
        <translation>访存，每次启动</translation>
    </message>
    <message>
        <source>Arithmetic, per launch</source>
        <translation>运算，每次启动</translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation>%1 运算数</translation>
    </message>
    <message>
        <source>%1 rate</source>
        <translation>%1 速率</translation>
    </message>
    <message>
        <source>Clocks</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Property</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>How it was obtained</source>
        <translation>如何得到</translation>
    </message>
    <message>
        <source>What is known of the kernel and its launches</source>
        <translation>关于内核及其启动的已知信息</translation>
    </message>
    <message>
        <source>For one launch, unless stated otherwise; – means not measured</source>
        <translation>除非另有说明，均为一次启动；– 为未测量</translation>
    </message>
    <message>
        <source>Counters and formula, or why there is no value</source>
        <translation>计数器和公式，或没有数值的原因</translation>
    </message>
    <message>
        <source>%1, of the roof</source>
        <translation>%1，占屋顶</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RangeSummaryModel</name>
    <message>
        <source>Range</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>NVTX ranges, outermost first</source>
        <translation>NVTX 区间，最外层在前</translation>
    </message>
    <message>
        <source>Occurrences</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>How often it was pushed, in all threads</source>
        <translation>在所有线程中进入的次数</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>On the CPU, from push to pop, over all occurrences</source>
        <translation>在 CPU 上从 push 到 pop 的时间，所有出现之和</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Of one occurrence on the CPU</source>
        <translation>一次出现在 CPU 上的时间</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>Occurrence on the CPU</source>
        <translation>在 CPU 上的一次出现</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Occurrence on the CPU; a double click on the row shows it in the timeline</source>
        <translation>在 CPU 上的一次出现；双击该行可在时间线中显示</translation>
    </message>
    <message>
        <source>GPU time</source>
        <translation>GPU 时间</translation>
    </message>
    <message>
        <source>How long the GPU worked, from the first to the last work issued in an occurrence, over all occurrences</source>
        <translation>GPU 工作的时间：从一次出现中发出的第一个工作到最后一个工作，所有出现之和</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU 空闲</translation>
    </message>
    <message>
        <source>How long the GPU was idle in the same time</source>
        <translation>同一段时间内 GPU 空闲的时间</translation>
    </message>
    <message>
        <source>Idle share</source>
        <translation>空闲占比</translation>
    </message>
    <message>
        <source>Idle time as a share of both</source>
        <translation>空闲时间占两者之和的比例</translation>
    </message>
    <message>
        <source>It gave the GPU no work</source>
        <translation>它没有给 GPU 任何工作</translation>
    </message>
    <message>
        <source>%1 of %2 occurrences gave the GPU work</source>
        <translation>%2 次出现中有 %1 次给了 GPU 工作</translation>
    </message>
    <message>
        <source>Double click: show it in the timeline</source>
        <translation>双击：在时间线中显示</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RangeTableModel</name>
    <message>
        <source>no duration was measured</source>
        <translation>未测量耗时</translation>
    </message>
    <message>
        <source>%1 to %2 over %3; %4</source>
        <translation>%1 至 %2，共 %3；%4</translation>
    </message>
    <message>
        <source>%1 occurrence</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>%1 occurrences</source>
        <translation>%1 次</translation>
    </message>
    <message>
        <source>no occurrence of this range has counters</source>
        <translation>此区间没有任何一次带有计数器</translation>
    </message>
    <message>
        <source>all with counters</source>
        <translation>每次都有计数器</translation>
    </message>
    <message>
        <source>%1 of them with counters</source>
        <translation>其中 %1 次有计数器</translation>
    </message>
    <message>
        <source>the launches could not be counted</source>
        <translation>未能统计</translation>
    </message>
    <message>
        <source>fewest and most launches in one occurrence</source>
        <translation>一次中最少与最多</translation>
    </message>
    <message>
        <source>NVTX ranges, outermost first</source>
        <translation>NVTX 区间，最外层在前</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>How often the range was pushed and measured</source>
        <translation>压入并被测量的次数</translation>
    </message>
    <message>
        <source>Occurrences</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Kernels launched by any thread during one occurrence</source>
        <translation>一次期间由任意线程启动的内核数</translation>
    </message>
    <message>
        <source>Launches each</source>
        <translation>每次启动数</translation>
    </message>
    <message>
        <source>Mean time from the start of the first kernel to the end of the last, over the same occurrences as rates and shares</source>
        <translation>速率和占比所计各次的平均时间，从第一个内核开始到最后一个内核结束</translation>
    </message>
    <message>
        <source>Time each</source>
        <translation>每次耗时</translation>
    </message>
    <message>
        <source>Over all occurrences</source>
        <translation>所有次数合计</translation>
    </message>
    <message>
        <source>Total time</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>Per occurrence</source>
        <translation>每次</translation>
    </message>
    <message>
        <source>Of the theoretical roof</source>
        <translation>占理论屋顶的份额</translation>
    </message>
    <message>
        <source>Share of the time that the tensor pipe is busy</source>
        <translation>张量流水线忙碌的时间占比</translation>
    </message>
    <message>
        <source>; %1 outliers (more than twice the median of the others) are left out of &quot;Time each&quot;, rates and shares</source>
        <translation>；其中 %1 次超过其余各次中位数的两倍，未计入每次时间、速率和占比</translation>
    </message>
    <message>
        <source>Share of the time in which a kernel of the range ran. Tracing the launches lengthens each gap by 10 to 40 µs</source>
        <translation>区间内有内核在运行的时间占比。跟踪启动会使每个空隙变长 10 到 40 µs</translation>
    </message>
    <message>
        <source>GPU busy</source>
        <translation>GPU 忙</translation>
    </message>
    <message>
        <source>Number of the GPU that it ran on</source>
        <translation>运行所在 GPU 的编号</translation>
    </message>
    <message>
        <source>%1 share</source>
        <translation>%1 占比</translation>
    </message>
    <message>
        <source>Per time of the range</source>
        <translation>按范围的时间计算</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RangesPage</name>
    <message>
        <source>Measured ranges</source>
        <translation>测得的区间</translation>
    </message>
    <message>
        <source>No launch of this recording is in an NVTX range. If the program pushes ranges around its steps, roofscope record --range measures each of them as a whole, with everything that runs at the same time.</source>
        <translation>此记录中没有任何启动位于 NVTX 区间内。程序在其步骤前后压入的区间可以作为整体测量，包括同时运行的一切：roofscope record --range。</translation>
    </message>
    <message>
        <source>No NVTX range was measured as a whole. To measure the traffic and arithmetic of one, with everything that runs at the same time, record:</source>
        <translation>没有整体测量过 NVTX 区间。要了解一个区间（连同同时运行的一切）搬运和计算了多少，请这样记录：</translation>
    </message>
    <message>
        <source>Recorded ranges</source>
        <translation>记录的区间</translation>
    </message>
    <message>
        <source>Measured as a whole</source>
        <translation>作为整体测量</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RecordDialog</name>
    <message>
        <source>Record a profile</source>
        <translation>录制剖析文件</translation>
    </message>
    <message>
        <source>What to record</source>
        <translation>录制内容</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Command that will be run</source>
        <translation>将运行的命令</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>What is wrong with this machine</source>
        <translation>本机的问题</translation>
    </message>
    <message>
        <source>Output of the recording</source>
        <translation>录制的输出</translation>
    </message>
    <message>
        <source>The output of roofscope and the program appears here.</source>
        <translation>roofscope 和程序的输出显示在这里。</translation>
    </message>
    <message>
        <source>State of the recording</source>
        <translation>录制状态</translation>
    </message>
    <message>
        <source>&amp;Record</source>
        <translation>录制(&amp;R)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Closing this window does not stop the recording</source>
        <translation>关闭此窗口后录制仍会继续</translation>
    </message>
    <message>
        <source>the program roofscope was found neither beside this program nor in PATH</source>
        <translation>在本程序旁和 PATH 中都没有找到 roofscope 程序</translation>
    </message>
    <message>
        <source>The program roofscope was found neither beside this program nor in PATH, so nothing can be recorded here. Copy the command and run it where roofscope is installed.</source>
        <translation>在本程序旁和 PATH 中都没有找到 roofscope 程序：此处无法录制。可以复制命令，在装有 roofscope 的机器上运行。</translation>
    </message>
    <message>
        <source>Checking whether counters can be read here…</source>
        <translation>正在检查本机能否读取计数器…</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Not possible: %1</source>
        <translation>无法录制：%1</translation>
    </message>
    <message>
        <source>&amp;Kill</source>
        <translation>强制结束(&amp;K)</translation>
    </message>
    <message>
        <source>Ca&amp;ncel</source>
        <translation>取消(&amp;N)</translation>
    </message>
    <message>
        <source>Kills roofscope and the program at once; no data is kept</source>
        <translation>立即结束 roofscope 和程序，不保留任何数据</translation>
    </message>
    <message>
        <source>Interrupts the program; what was measured is kept</source>
        <translation>中断程序，保留已测得的数据</translation>
    </message>
    <message>
        <source>Interrupted; waiting for the program to end and for the profile…</source>
        <translation>已中断，正在等待程序结束并写出剖析文件…</translation>
    </message>
    <message>
        <source>Killing…</source>
        <translation>正在强制结束…</translation>
    </message>
    <message>
        <source>Recording…</source>
        <translation>正在录制…</translation>
    </message>
    <message>
        <source>Copies the command, to be run in a terminal</source>
        <translation>复制命令，在终端中运行</translation>
    </message>
    <message>
        <source>Copy for another machine</source>
        <translation>复制到另一台机器</translation>
    </message>
    <message>
        <source>Copies the command without paths of this machine</source>
        <translation>同样的命令，不含本机路径</translation>
    </message>
    <message>
        <source>the program ssh was not found in PATH</source>
        <translation>PATH 中没有找到程序 ssh</translation>
    </message>
    <message>
        <source>The program ssh was not found in PATH: install OpenSSH&apos;s client.</source>
        <translation>PATH 中没有找到程序 ssh：请安装 OpenSSH 客户端。</translation>
    </message>
    <message>
        <source>Checking whether counters can be read on %1…</source>
        <translation>正在检查 %1 上能否读取计数器…</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>roofscope doctor gave no answer, so it is unknown whether counters can be read on %1.</source>
        <translation>roofscope doctor 没有回答：不知道 %1 上能否读取计数器。</translation>
    </message>
    <message>
        <source>Counters can be read on %1.</source>
        <translation>%1 上可以读取计数器。</translation>
    </message>
    <message>
        <source>Counters cannot be read on %1, only durations and launch shapes. What to do:</source>
        <translation>%1 上不能读取计数器，只能得到耗时和启动形状。解决方法：</translation>
    </message>
    <message>
        <source>the machine is being checked</source>
        <translation>正在检查那台机器</translation>
    </message>
    <message>
        <source>Fetching the profile from %1…</source>
        <translation>正在从 %1 取回剖析文件…</translation>
    </message>
    <message>
        <source>What to record, and the output</source>
        <translation>录制内容与输出</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>正在录制</translation>
    </message>
    <message>
        <source>Nothing can be recorded on %1. Enter a machine with a GPU in &quot;Machine&quot;, or copy the command and run it there. What is missing:</source>
        <translation>%1 上无法录制。请在“机器”中填写一台有 GPU 的机器，或复制命令到那里运行。缺少：</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RecordForm</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse: %1</source>
        <translation>浏览：%1</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>empty: this machine; else HOST or USER@HOST for ssh</source>
        <translation>本机；其他机器按 ssh 的写法：HOST 或 USER@HOST</translation>
    </message>
    <message>
        <source>Records on that machine with the roofscope in its PATH, then fetches the profile. ssh must be able to log in without a password. Nothing is installed.</source>
        <translation>用那台机器 PATH 中的 roofscope 录制，然后取回剖析文件。ssh 必须无需输入密码就能登录。不会安装任何东西。</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>a program that uses CUDA, or python3</source>
        <translation>使用 CUDA 的程序，或 python3</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>train.py --steps 10   (quotes as in a shell)</source>
        <translation>train.py --steps 10   (引号用法与 shell 相同)</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>工作文件夹</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>NAME=value, one per line</source>
        <translation>NAME=value，每行一个</translation>
    </message>
    <message>
        <source>%1; passes: at most %2</source>
        <translation>%1；最多 %2 遍</translation>
    </message>
    <message>
        <source>Counter groups</source>
        <translation>计数器组</translation>
    </message>
    <message>
        <source>default of roofscope</source>
        <translation>由 roofscope 决定</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>what could change the verdict</source>
        <translation>可能改变判定的问题</translation>
    </message>
    <message>
        <source>until no question is open</source>
        <translation>直到没有未查明的问题</translation>
    </message>
    <message>
        <source>Further runs of the program, to answer what the first ones left open</source>
        <translation>再运行程序，读取前几次运行没有查明的数据</translation>
    </message>
    <message>
        <source>Follow-up questions</source>
        <translation>后续问题</translation>
    </message>
    <message>
        <source>Kernel filter</source>
        <translation>内核过滤</translation>
    </message>
    <message>
        <source>only kernels whose name matches: gemm|softmax</source>
        <translation>只录制名称匹配的内核：gemm|softmax</translation>
    </message>
    <message>
        <source>Kernels by source line</source>
        <translation>按源码行的内核数</translation>
    </message>
    <message>
        <source>Counters per source line for this many kernels, those with the most time. Each takes one more run of the program</source>
        <translation>为耗时最多的若干内核按源码行计数，每个内核多运行一次程序</translation>
    </message>
    <message>
        <source>Timing runs</source>
        <translation>计时运行</translation>
    </message>
    <message>
        <source>Runs without counters, for durations and start times. With 0 the program runs only once, with counters, and there is no timeline</source>
        <translation>不带计数器的运行，用于得到耗时和开始时间。为 0 时程序只带计数器运行一次，没有时间线</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>更多选项</translation>
    </message>
    <message>
        <source>of roofscope record: --nvtx decode --device 1</source>
        <translation>roofscope record 的选项：--nvtx decode --device 1</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>剖析文件</translation>
    </message>
    <message>
        <source>Profiles (*.roofscope.json *.roofscope.json.gz)</source>
        <translation>剖析文件 (*.roofscope.json *.roofscope.json.gz)</translation>
    </message>
    <message>
        <source>your home folder there</source>
        <translation>那台机器上的主文件夹</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RecordHint</name>
    <message>
        <source>Command that records it</source>
        <translation>录制命令</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Recordings</name>
    <message>
        <source>%1 was recorded with the same program as %2.</source>
        <translation>%1 与 %2 录制的是同一程序。</translation>
    </message>
    <message>
        <source>Compare Them</source>
        <translation>比较两者</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RooflinePage</name>
    <message>
        <source>Search in the plot: name, bw &gt; 60%</source>
        <translation>在图中搜索：名称，bw &gt; 60%</translation>
    </message>
    <message>
        <source>Search in the plot</source>
        <translation>在图中搜索</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>上一个匹配 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>下一个匹配 (Enter)</translation>
    </message>
    <message>
        <source>Kernels without a dot</source>
        <translation>没有点的内核</translation>
    </message>
    <message>
        <source>Record what is missing…</source>
        <translation>录制缺少的数据…</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 kernel has no dot</source>
        <translation>%1 个内核没有点</translation>
    </message>
    <message>
        <source>%1 kernels have no dot</source>
        <translation>%1 个内核没有点</translation>
    </message>
    <message>
        <source>%1: %2 of GPU time</source>
        <translation>%1：占 GPU 时间 %2</translation>
    </message>
    <message>
        <source>Opens the Record dialog for the same program, with the counter groups %1</source>
        <translation>填好对话框：同一程序，加计数器组 %1</translation>
    </message>
    <message>
        <source>%1: no dot, %2</source>
        <translation>%1：没有点，%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RooflineView</name>
    <message>
        <source>Roofline plot</source>
        <translation>屋顶线图</translation>
    </message>
    <message>
        <source>Arithmetic intensity against rate of every kernel. Arrow keys pan, plus and minus zoom, zero shows everything. The kernel table holds the same numbers.</source>
        <translation>各内核的算术强度与速率。方向键平移，加减键缩放，0 键显示全部。内核表中有同样的数字。</translation>
    </message>
    <message>
        <source>No kernel matches the filter</source>
        <translation>没有内核符合过滤条件</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::SearchBar</name>
    <message>
        <source>End the search (Escape)</source>
        <translation>结束搜索 (Escape)</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::SourceLineModel</name>
    <message>
        <source>The lines in between were not recorded</source>
        <translation>中间的行没有录制</translation>
    </message>
    <message>
        <source>The text of this line was not recorded</source>
        <translation>此行的文本没有录制</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>The text of this line is from a file found later, which may be newer than the recording</source>
        <translation>此行文本来自后来找到的文件，可能比录制时新</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::SourceTableModel</name>
    <message>
        <source>Stall samples</source>
        <translation>等待采样</translation>
    </message>
    <message>
        <source>Executed instructions</source>
        <translation>执行的指令</translation>
    </message>
    <message>
        <source>Sectors</source>
        <translation>扇区</translation>
    </message>
    <message>
        <source>Ideal sectors</source>
        <translation>理想扇区</translation>
    </message>
    <message>
        <source>Excess sectors</source>
        <translation>多余扇区</translation>
    </message>
    <message>
        <source>Shared wavefronts</source>
        <translation>共享内存波前</translation>
    </message>
    <message>
        <source>Ideal shared wavefronts</source>
        <translation>理想共享内存波前</translation>
    </message>
    <message>
        <source>Excess shared wavefronts</source>
        <translation>多余共享内存波前</translation>
    </message>
    <message>
        <source>Local-memory sectors</source>
        <translation>本地内存扇区</translation>
    </message>
    <message>
        <source>%1: not measured here</source>
        <translation>%1：此处未测量</translation>
    </message>
    <message>
        <source> (%1 of the kernel&apos;s)</source>
        <translation>（占内核的 %1）</translation>
    </message>
    <message>
        <source>%1 times the ideal</source>
        <translation>理想值的 %1 倍</translation>
    </message>
    <message>
        <source>%1 per executed instruction</source>
        <translation>每条执行的指令 %1</translation>
    </message>
    <message>
        <source>, waits for %1</source>
        <translation>，等待%1</translation>
    </message>
    <message>
        <source>The most frequent stall reason</source>
        <translation>大多数采样在等待什么</translation>
    </message>
    <message>
        <source>%1, of the launch that was measured per instruction</source>
        <translation>%1：按指令测量的那一次启动</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>等待原因</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Executed</source>
        <translation>执行数</translation>
    </message>
    <message>
        <source>ideal</source>
        <comment>sectors</comment>
        <translation>理想</translation>
    </message>
    <message>
        <source>excess</source>
        <comment>sectors</comment>
        <translation>多余</translation>
    </message>
    <message>
        <source>Wavefronts</source>
        <translation>波前</translation>
    </message>
    <message>
        <source>ideal</source>
        <comment>wavefronts</comment>
        <translation>理想</translation>
    </message>
    <message>
        <source>excess</source>
        <comment>wavefronts</comment>
        <translation>多余</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>本地</translation>
    </message>
    <message>
        <source>As recorded</source>
        <translation>录制时的原样</translation>
    </message>
    <message>
        <source>▸ marks rows with at least 1 % of the chosen number; they are shaded</source>
        <translation>▸ 标出至少占所选数值 1 % 的行；这些行带底色</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::SourceView</name>
    <message>
        <source>Source lines</source>
        <translation>源码行</translation>
    </message>
    <message>
        <source>Machine code</source>
        <translation>机器码</translation>
    </message>
    <message>
        <source>Source file</source>
        <translation>源文件</translation>
    </message>
    <message>
        <source>What makes a line hot</source>
        <translation>热点的依据</translation>
    </message>
    <message>
        <source>Next hot line</source>
        <translation>下一热点行</translation>
    </message>
    <message>
        <source>The next hottest line (F4); Shift+F4 goes back</source>
        <translation>下一个最热的行（F4）；Shift+F4 返回</translation>
    </message>
    <message>
        <source>Only its instructions</source>
        <translation>仅此行的指令</translation>
    </message>
    <message>
        <source>Show the instructions of the selected line only</source>
        <translation>只显示所选行的指令</translation>
    </message>
    <message>
        <source>This kernel was not measured per instruction. To see which code causes sectors, conflicts and stalls, record it again:</source>
        <translation>此内核没有按指令测量。要查看扇区、冲突和等待出现在代码的何处，请重新录制：</translation>
    </message>
    <message>
        <source>No kernel is selected</source>
        <translation>未选择内核</translation>
    </message>
    <message>
        <source>Hot: %1</source>
        <translation>热点：%1</translation>
    </message>
    <message>
        <source>Next hot instruction</source>
        <translation>下一热点指令</translation>
    </message>
    <message>
        <source>No machine code (nvdisasm was not found or could not read it)</source>
        <translation>没有机器码（找不到 nvdisasm，或它无法读取）</translation>
    </message>
    <message>
        <source>No source lines (no line table: compile with %1)</source>
        <translation>没有源码行（没有行号表：请用 %1 编译）</translation>
    </message>
    <message>
        <source>No source text (not readable when recording)</source>
        <translation>没有源码文本（录制时无法读取）</translation>
    </message>
    <message>
        <source>The run that counted instructions did different work than the counted launch</source>
        <translation>计数指令的那次运行与计数的启动工作量不同</translation>
    </message>
    <message>
        <source>One of %1 launches measured</source>
        <translation>测量了 %1 次启动中的一次</translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation>%1 / %2：%3</translation>
    </message>
    <message>
        <source>Find the file…</source>
        <translation>查找文件…</translation>
    </message>
    <message>
        <source>Show the text of this source file from a copy on this machine</source>
        <translation>从本机的副本显示此源文件的文本</translation>
    </message>
    <message>
        <source>Find %1</source>
        <translation>查找 %1</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>Shows the lines of %1</source>
        <translation>显示 %1 的各行</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::StatusArea</name>
    <message>
        <source>Last message</source>
        <translation>最近的消息</translation>
    </message>
    <message>
        <source>What is open</source>
        <translation>打开的内容</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::TimelineMinimap</name>
    <message>
        <source>The whole recording</source>
        <translation>整个记录</translation>
    </message>
    <message>
        <source>The whole recording: when the GPU works, and what is shown below. Click or drag to go there, double-click for everything.</source>
        <translation>整个记录：GPU 何时工作，以及下方显示的部分。点击或拖动可前往该处，双击显示全部。</translation>
    </message>
    <message>
        <source>The first %1, until the work repeats, are shortened.</source>
        <translation>最初的 %1（直到工作开始重复）已缩短显示。</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::TimelinePanel</name>
    <message>
        <source>Selected in the timeline</source>
        <translation>时间线中选中的内容</translation>
    </message>
    <message>
        <source>Select no launch (Escape)</source>
        <translation>取消选择启动（Escape）</translation>
    </message>
    <message>
        <source>Previous launch of this kernel (,)</source>
        <translation>该内核的上一次启动（,）</translation>
    </message>
    <message>
        <source>Next launch of this kernel (.)</source>
        <translation>该内核的下一次启动（.）</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>Show the call and the launch (C)</source>
        <translation>显示调用和启动（C）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy these facts</source>
        <translation>复制这些信息</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>Counters of this launch</source>
        <translation>该次启动的计数器</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>已选 %1</translation>
    </message>
    <message>
        <source>Select no time (Escape)</source>
        <translation>取消选择时段（Escape）</translation>
    </message>
    <message>
        <source>From %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>Times are as recorded, tracing included.</source>
        <translation>时间为录制值，包含跟踪开销。</translation>
    </message>
    <message>
        <source>Copy for Assistant</source>
        <translation>复制给助手</translation>
    </message>
    <message>
        <source>Copies the account, the kernels and the copies of this time</source>
        <translation>复制该时段的时间分布、内核和拷贝</translation>
    </message>
    <message>
        <source>Copied the account of %1</source>
        <translation>已复制 %1 的时间分布</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Zoom to the selected time (F)</source>
        <translation>缩放到所选时段（F）</translation>
    </message>
    <message>
        <source>Nothing was recorded in this time.</source>
        <translation>该时段没有录制到任何内容。</translation>
    </message>
    <message>
        <source>Idle for host work, the CPU was in: %1</source>
        <translation>因主机工作而空闲时，CPU 位于：%1</translation>
    </message>
    <message>
        <source>%1 kernel</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 kernels by time</source>
        <translation>%1 个内核，按时间排序</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>Select nothing (Escape)</source>
        <translation>取消选择（Escape）</translation>
    </message>
    <message>
        <source>Previous of this name in this row (,)</source>
        <translation>本行中上一个同名项（,）</translation>
    </message>
    <message>
        <source>Next of this name in this row (.)</source>
        <translation>本行中下一个同名项（.）</translation>
    </message>
    <message>
        <source>Show the call and the copy (C)</source>
        <translation>显示调用和拷贝（C）</translation>
    </message>
    <message>
        <source>Idle for host work, the CPU was in, of %1: %2</source>
        <translation>因主机工作而空闲时，CPU 所在（共 %1）：%2</translation>
    </message>
    <message>
        <source>Stop Comparing</source>
        <translation>停止比较</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Shows the account of the selected time alone</source>
        <translation>只显示所选时间的构成</translation>
    </message>
    <message>
        <source>Keeps this account, to see that of the next selected time beside it</source>
        <translation>保留此构成，与下一次所选时间的构成并排显示</translation>
    </message>
    <message>
        <source>Select another time or repeat to compare it with this one.</source>
        <translation>选择另一段时间或另一次重复，与这一段比较。</translation>
    </message>
    <message>
        <source>Before: %1</source>
        <translation>之前：%1</translation>
    </message>
    <message>
        <source>The same kernels, with times that differ by less than 1 %.</source>
        <translation>内核相同，时间相差不到 1 %。</translation>
    </message>
    <message>
        <source>%1 kernel differs</source>
        <translation>%1 个内核不同</translation>
    </message>
    <message>
        <source>%1 kernels differ</source>
        <translation>%1 个内核不同</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::TimelineSearch</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 launch</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 launches</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 kernel</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 kernels</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>Search: kernel, copy, call, range, or bw &gt; 60%</source>
        <translation>搜索：内核、拷贝、调用、范围或 bw &gt; 60%</translation>
    </message>
    <message>
        <source>Search in the timeline</source>
        <translation>在时间线中搜索</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>上一个匹配（Shift+Enter）</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>下一个匹配（Enter）</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>%1 repeat</source>
        <translation>%1 次重复</translation>
    </message>
    <message>
        <source>%1 repeats</source>
        <translation>%1 次重复</translation>
    </message>
    <message>
        <source>repeat %1 of %2</source>
        <translation>第 %1 次重复，共 %2 次</translation>
    </message>
    <message>
        <source>Select the Time of This Gap</source>
        <translation>选择该空隙的时段</translation>
    </message>
    <message>
        <source>Select the Time of This Bar</source>
        <translation>选择该条的时段</translation>
    </message>
    <message>
        <source>Select the Time in View</source>
        <translation>选择可见时段</translation>
    </message>
    <message>
        <source>Select This Repeat</source>
        <translation>选择本次重复</translation>
    </message>
    <message>
        <source>Zoom to Selection</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>Zoom to Repeat</source>
        <translation>缩放到重复</translation>
    </message>
    <message>
        <source>Show Everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Next Repeat</source>
        <translation>下一次重复</translation>
    </message>
    <message>
        <source>Previous Repeat</source>
        <translation>上一次重复</translation>
    </message>
    <message>
        <source>Next Launch of the Kernel</source>
        <translation>该内核的下一次启动</translation>
    </message>
    <message>
        <source>Previous Launch of the Kernel</source>
        <translation>该内核的上一次启动</translation>
    </message>
    <message>
        <source>Show Its Call</source>
        <translation>显示其调用</translation>
    </message>
    <message>
        <source>Pinned Rows</source>
        <translation>固定的行</translation>
    </message>
    <message>
        <source>Unpin All</source>
        <translation>全部取消固定</translation>
    </message>
    <message>
        <source>Unpin This Row</source>
        <translation>取消固定此行</translation>
    </message>
    <message>
        <source>Pin This Row to the Top</source>
        <translation>将此行固定在顶部</translation>
    </message>
    <message>
        <source>Go to Repeat</source>
        <translation>转到重复</translation>
    </message>
    <message>
        <source>Number of the repeat, 1 to %1:</source>
        <translation>重复的编号，1 到 %1：</translation>
    </message>
    <message>
        <source>Go to Repeat…</source>
        <translation>转到重复…</translation>
    </message>
    <message>
        <source>Folded Rows</source>
        <translation>折叠的行</translation>
    </message>
    <message>
        <source>Unfold All</source>
        <translation>全部展开</translation>
    </message>
    <message>
        <source>Select No Time and No Bar</source>
        <translation>取消选择时间和条目</translation>
    </message>
    <message>
        <source>Unfold This Row</source>
        <translation>展开此行</translation>
    </message>
    <message>
        <source>Fold This Row</source>
        <translation>折叠此行</translation>
    </message>
    <message>
        <source>Next of This Name</source>
        <translation>下一个同名项</translation>
    </message>
    <message>
        <source>Previous of This Name</source>
        <translation>上一个同名项</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>搜索…</translation>
    </message>
    <message>
        <source>%1: click to unfold</source>
        <translation>%1：点击展开</translation>
    </message>
    <message>
        <source>%1: click to fold</source>
        <translation>%1：点击折叠</translation>
    </message>
    <message>
        <source>%1 folded row</source>
        <translation>%1 行已折叠</translation>
    </message>
    <message>
        <source>%1 folded rows</source>
        <translation>%1 行已折叠</translation>
    </message>
    <message>
        <source>Launches, copies, calls and samples of the CPU over time, a row per stream, direction and thread, and NVTX ranges. Left and right pan, plus and minus zoom, zero shows everything, up and down scroll, page up and page down go to the previous and next repeat, comma and full stop to the previous and next launch of the selected kernel, or bar like the selected one. P pins the row under the mouse, or that of the selected bar, to the top, X folds it; the menu lists all rows.</source>
        <translation>CPU 的启动、拷贝、调用和采样随时间的变化，每个流、方向和线程一行，以及 NVTX 范围。左右键平移，加减键缩放，0 显示全部，上下键滚动，PgUp 和 PgDown 转到上一次和下一次重复，逗号和句号转到所选内核的上一次和下一次启动，或所选条目的上一个和下一个同类条目。P 将鼠标所指的行（或所选条目所在的行）固定在顶部，X 将其折叠；菜单列出所有行。</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::Workspace</name>
    <message>
        <source>Open profiles</source>
        <translation>打开剖析文件</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>The profile that others are compared with (Ctrl+B)</source>
        <translation>供其他剖析文件比较的基线（Ctrl+B）</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Place the details beside or below the panes</source>
        <translation>详情放在窗格旁边或下方</translation>
    </message>
    <message>
        <source>Move the details to a separate window, or dock them again</source>
        <translation>详情放在单独窗口，再次恢复</translation>
    </message>
    <message>
        <source>Maximise or restore the details (F12)</source>
        <translation>只看详情，再次恢复（F12）</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>Hints</source>
        <translation>优化提示</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Overview or kernels</source>
        <translation>概览或内核</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
</context>
</TS>
