/* fake_nvml.c: a machine with three devices, for tests of what asks NVML: the first has 1 GiB in
 * use, the second 2 GiB, the third does not answer. */

struct device {
    unsigned long long used;
};

struct memory {
    unsigned long long total, free, used;
};

int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device);
int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory);

static struct device devices[] = {{1ull << 30}, {2ull << 30}};

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = 3;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device)
{
    if (index >= sizeof devices / sizeof *devices)
        return 15; /* the device is lost */
    *device = &devices[index];
    return 0;
}

int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory)
{
    memory->total = 8ull << 30;
    memory->used = device->used;
    memory->free = memory->total - memory->used;
    return 0;
}
